#!/usr/bin/env python3
"""Makes oracle lines about formats: one CRD with every format, and texts that are nearly of each.

    format_gen.py COUNT SEED

Every line is an input line of the oracle; each has ten texts a format.
"""
import json
import random
import sys

import frame

TEXTS = {
    "bsonobjectid": ["507f1f77bcf86cd799439011"],
    "uri": [
        "https://a.example/p?q=1#f", "http://a:80/", "/a/b?x", "mailto:a@b", "a:b", "//h/p", "http://[::1]:80/x", "http://u:p@h/",
        "http://a b/", "http://h/%zz", "urn:x:y", "x", "http://h:99999/", "*", "http://[fe80::1%25en0]/", "file:///x", "http://h/ä",
    ],
    "email": [
        "=?utf-8?q??= <a@b>", "=?x?q?a?= <a@b>", "=?x?q?=zz?= <a@b>", "=?utf-8?b?YQ==?= (c) <a@b>", "=?utf-8?b?YQ=?= x <a@b>",
        "a =?latin1?B?YQ==?= <a@b>", "a@b (=?utf-8?q?x?=)", "a@b (=?x?q?x?= y)", "=?UTF-8?Q?=41_b?= =?us-ascii?q?c?= <a@b>", "a@b",
        "a.b@c.d", "\"x y\"@z.com", "A <a@b>", "a@[1.2.3.4]", "é@b", "a@b (c)", "Joe Q. Public <john.q.public@example.com>",
        "=?utf-8?q?x?= <a@b>", "a@é.com", "\"\"@b", "<a@b>", "a..b@c", "a@b.", "group: a@b;",
    ],
    "hostname": ["a.example", "A-b.c", "-a", "a_b", "a..b", "xn--a", "a.", "1.2.3.4", "x" * 63 + ".a", "é.com", "a" * 64],
    "ipv4": ["1.2.3.4", "01.2.3.4", "1.2.3", "1.2.3.256", "::ffff:1.2.3.4", "1.2.3.4%a", "0x1.2.3.4", "1.2.3.4.5", " 1.2.3.4"],
    "ipv6": [
        "::1", "fe80::1%eth0", "::ffff:1.2.3.4", "1:2:3:4:5:6:7:8", "1::2::3", "::", "12345::", "1:2:3:4:5:6:7::", "::1.2.3.04",
        "fd00::G",
    ],
    "cidr": [
        "10.0.0.0/8", "fd00::/64", "10.0.0.1/33", "10.0.0.0/08", "::ffff:1.2.3.4/96", "01.2.3.4/8", "1.2.3.4/", "1.2.3.4", "::/129",
        "1.2.3.4/+8", "::1%x/64",
    ],
    "mac": [
        "01:23:45:67:89:ab", "01-23-45-67-89-AB", "0123.4567.89ab", "01:23:45:67:89:ab:cd:ef", "01:23:45",
        "00:00:00:00:fe:80:00:00:00:00:00:00:02:00:5e:10:00:00:00:01",
    ],
    "uuid": [
        "123e4567-e89b-12d3-a456-426614174000", "123e4567e89b12d3a456426614174000", "{123e4567-e89b-12d3-a456-426614174000}",
        "urn:uuid:123e4567-e89b-12d3-a456-426614174000",
    ],
    "uuid3": ["a3bb189e-8bf9-3888-9912-ace4e6543002"],
    "uuid4": ["f47ac10b-58cc-4372-a567-0e02b2c3d479"],
    "uuid5": ["886313e1-3b8a-5372-9b90-0c9aee199e5d"],
    "isbn": ["978-3-16-148410-0", "0-306-40615-2", "080442957X", "9783161484100"],
    "isbn10": ["0-306-40615-2", "080442957X", "080442957x"],
    "isbn13": ["978-3-16-148410-0", "9783161484100", "979 10 90636 07 1"],
    "creditcard": ["4111 1111 1111 1111", "378282246310005", "5555-5555-5555-4444", "6011111111111117"],
    "ssn": ["123-45-6789", "123 45 6789", "123456789"],
    "hexcolor": ["#fff", "fff", "#FFAA00", "ffaa0", "#ffff"],
    "rgbcolor": ["rgb(1,2,3)", "rgb( 1 , 2 , 255 )", "rgb(256,0,0)", "rgb(01,2,3)", "RGB(1,2,3)", "rgb(1,2,3"],
    "byte": ["YQ==", "YWI=", "YWJj", "YQ=", "YQ", "Y Q==", "YWJj\n", "-_==", "YQ==\r\n", "", "Y===", "/+=="],
    "password": ["x"],
    "date": ["2024-01-31", "2024-02-30", "2024-1-1", "0000-01-01", "2024-01-01T", "9999-12-31", "2023-02-29", " 2024-01-01", "24-01-01"],
    "duration": [
        "1h", "1.5h", "1h30m", "-1s", "+1s", "1ms2us", "1µs", "1μs", "1 h", "1d", "1 day", "3 weeks", "1w2d", ".5s", "1.s", "s", "0",
        "1e3s", "9223372036854775807ns", "9223372036854775808ns", "2562047h47m16.854775807s", "1 minutes", "01h", "1h 1h", "1H", "1 hr",
        "1sec", "1years", "106751 days", "5 mins",
    ],
    "datetime": [
        "2024-01-01T00:00:00Z", "2024-01-01t00:00:00z", "2024-01-01T00:00:00.123456789Z", "2024-01-01T00:00:00+01:00",
        "2024-01-01 00:00:00", "2024-01-01T24:00:00Z", "2024-01-01T23:59:60Z", "2024-01-01T00:00:00,5Z", "2024-01-01T0:00:00Z",
        "2024-01-01T00:00:00+25:00", "2024-02-30T00:00:00Z", "2024-01-01", "2024-01-01T00:00:00", "2024-01-01T00:00:00+0100",
        "0000-01-01T00:00:00Z", "2024-01-01T00:00Z", "2024-01-01T00:00:00.Z", "2024-01-01T00:00:00-00:00", "2024-13-01T00:00:00Z",
    ],
    "k8s-short-name": ["abc", "a-b", "-a", "a" * 63, "a" * 64, "A", "1", "a.b", ""],
    "k8s-long-name": ["a.b", "a..b", "a" * 64 + ".b", "A.b", ".a", "a-.b"],
}
# Names are the same without hyphens and in any case.
FORMATS = {**TEXTS, "date-time": TEXTS["datetime"], "credit-card": TEXTS["creditcard"], "DateTime": TEXTS["datetime"]}
ALL = [text for texts in TEXTS.values() for text in texts]
CHARS = [*"0123456789abcdefABCDEFxXzZtTgG:./-_+ ,#%@()[]{}<>\"'\\=?&;!*~^|$\n\t\r\0é\u00a0\u200b😀µμ"]


class Maker:
    def __init__(self, seed):
        self.rng = random.Random(seed)

    def change(self, text):
        pick, at = self.rng.choice, self.rng.randrange(len(text) + 1)
        end = self.rng.randrange(at, len(text) + 1)
        other = pick(ALL)
        digits = [place for place, char in enumerate(text) if char in "0123456789"]
        digit = pick(digits) if digits else len(text)
        return pick([
            text[:at] + pick(CHARS) + text[at:],
            text[:at] + text[at + 1:],
            text[:at] + pick(CHARS) + text[at + 1:],
            text[:digit] + pick("0123456789") + text[digit + 1:],
            text[:end] + text[at:end] + text[end:],
            text[:at] + other[self.rng.randrange(len(other) + 1):],
            text.swapcase(),
        ])

    def text(self, texts):
        text = self.rng.choice(texts if self.rng.random() < 0.9 else ALL)
        for _ in range(self.rng.choice([0, 1, 1, 1, 2, 2, 3])):
            text = self.change(text)
        return text

    def case(self, name):
        schemas = {it: {"type": "array", "items": {"type": "string", "format": it}} for it in FORMATS}
        spec = {it: [self.text(texts) for _ in range(10)] for it, texts in FORMATS.items()}
        return frame.case(name, {"type": "object", "properties": schemas}, spec)


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    for number in range(count):
        print(json.dumps(Maker(f"{seed}-{number}").case(f"format/{seed}-{number}"), separators=(",", ":")))


if __name__ == "__main__":
    main()
