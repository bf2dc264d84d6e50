#!/usr/bin/env python3
"""Makes oracle lines about regular expressions: CRDs with one random pattern each, and texts to match.

    pattern_gen.py COUNT SEED

About half of the patterns are valid. Every line is an input line of the oracle. No text has characters that are newer
than Unicode 15, which Go knows.
"""
import json
import random
import sys

import frame

SOUND = """a b é 0 _ . ^ $ - } ] # && ~~ ſ K İ 😀 {a [a-c] [^a] []a] [^]a] [a-] [a\\-b] [\\]] [#] [[] [a--b] [a~~b] [a&&b]
    [[:alpha:]] [[:^digit:]] [[:word:]] [\\d-z] [\\pL-a] \\d \\D \\w \\W \\s \\S \\b \\B \\A \\z \\pL \\PN \\pZ \\p{Greek}
    \\p{^Lu} \\P{^Lu} \\p{han} \\p{Cs} \\P{Cs} \\p{any} \\p{Letter} \\p{Dash_Punctuation} [\\P{Cs}] [^\\p{C}a] \\x41 \\x{e9}
    \\x{d800} [\\x{d7ff}-\\x{e000}] [^\\x{d800}-\\x{dfff}] [\\x{dc00}] [a-\\x{d900}] \\101 \\0 \\07 \\08 \\n \\t \\a \\f \\v
    \\. \\- \\_ \\/ \\Q.\\E \\Q\\E (?i) (?s) (?m) (?-i) (?) |""".split() + [" ", "\\ ", "\n", "\\\n", "\x7f", "\\\x7f"]
GROUPS = ["(", "(?:", "(?i:", "(?U:", "(?i-s:", "(?P<n>", "(?<n>", "(?P<1>"]
ODD = """( ) [ { [^ [z-a] [[:foo:]] [[:^^alpha:]] [[:alpha: [\\b] [\\Qa\\E] \\Z \\p \\pé \\p{ \\p{L \\p{Foo} \\p{Alphabetic} \\p{Old_Italic}
    \\x{110000} \\x \\x{ \\x{} \\x{4g} \\x4 \\xg0 \\1 \\8 \\e \\é \\C \\G \\K \\X \\N \\u0041 \\ \\Q \\E (?U)
    (?i-) (?--i) (?-) (?i (?x) (?<é> (?P<n (?= (?! (?<= (?#""".split()
OPERATORS = "* + ? *? +? ?? {2} {1,3} {,2} {2,} {2,}? {3,1} {0} {0,} {01} {500} {1000} {1001} {99999999999}".split()
CHARS = [*"abABéÉ09_ .-][(){}^ſsSKkKİiıαΩ😀&~#EQ٣\n\t\x7f\u00a0", "{2}", "aa"]


class Maker:
    def __init__(self, seed):
        self.rng = random.Random(seed)

    def pattern(self):
        text = self.parts(2)
        return text if self.rng.random() < 0.5 else f"^(?:{text})$"

    def parts(self, depth):
        return "".join(self.part(depth) for _ in range(self.rng.choice([1, 1, 2, 2, 3, 4])))

    def part(self, depth):
        chance, pick = self.rng.random(), self.rng.choice
        if chance < 0.06:
            return pick(ODD)
        part = pick(GROUPS) + self.parts(depth - 1) + ")" if depth and chance < 0.2 else pick(SOUND)
        return part + pick(OPERATORS) if self.rng.random() < 0.25 else part

    def text(self):
        return "".join(self.rng.choice(CHARS) for _ in range(self.rng.choice([0, 1, 1, 2, 3, 4])))

    def case(self, name):
        items = {"type": "string", "pattern": self.pattern()}
        schema = {"type": "object", "properties": {"texts": {"type": "array", "items": items}}}
        return frame.case(name, schema, {"texts": [self.text() for _ in range(12)]})


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    for number in range(count):
        print(json.dumps(Maker(f"{seed}-{number}").case(f"pattern/{seed}-{number}"), separators=(",", ":")))


if __name__ == "__main__":
    main()
