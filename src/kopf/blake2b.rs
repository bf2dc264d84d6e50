//! BLAKE2b (RFC 7693) with a digest of four bytes: the tail of annotation keys that are too long.
//!
//! Our own, since it is one page: the crates for it bring five more packages to everybody who only derives types.

/// The words of SHA-512's initial state (RFC 7693, section 2.6).
const IV: [u64; 8] = [
    0x6a09_e667_f3bc_c908,
    0xbb67_ae85_84ca_a73b,
    0x3c6e_f372_fe94_f82b,
    0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1,
    0x9b05_688c_2b3e_6c1f,
    0x1f83_d9ab_fb41_bd6b,
    0x5be0_cd19_137e_2179,
];

/// The order of the message's words in each round (section 2.7); rounds 10 and 11 begin anew.
const SIGMA: [[usize; 16]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

/// The words that each of a round's eight mixes works on: four columns, then four diagonals (section 3.2).
const MIXES: [[usize; 4]; 8] = [
    [0, 4, 8, 12],
    [1, 5, 9, 13],
    [2, 6, 10, 14],
    [3, 7, 11, 15],
    [0, 5, 10, 15],
    [1, 6, 11, 12],
    [2, 7, 8, 13],
    [3, 4, 9, 14],
];

const BLOCK: usize = 128;
const DIGEST: u64 = 4;

/// Python's `hashlib.blake2b(text, digest_size=4).digest()`.
pub(crate) fn digest4(text: &[u8]) -> [u8; 4] {
    let mut state = IV;
    state[0] ^= 0x0101_0000 ^ DIGEST;
    let blocks = text.len().div_ceil(BLOCK).max(1);
    for number in 0..blocks {
        let start = number * BLOCK;
        let end = text.len().min(start + BLOCK);
        let mut block = [0; BLOCK];
        block[..end - start].copy_from_slice(&text[start..end]);
        compress(&mut state, &block, end as u64, number + 1 == blocks);
    }
    let [a, b, c, d, ..] = state[0].to_le_bytes();
    [a, b, c, d]
}

fn compress(state: &mut [u64; 8], block: &[u8; BLOCK], counted: u64, last: bool) {
    let mut message = [0; 16];
    for (word, bytes) in message.iter_mut().zip(block.chunks_exact(8)) {
        *word = u64::from_le_bytes(bytes.try_into().expect("chunks of eight"));
    }
    let mut work = [0; 16];
    work[..8].copy_from_slice(state);
    work[8..].copy_from_slice(&IV);
    work[12] ^= counted;
    work[14] ^= if last { u64::MAX } else { 0 };
    for round in 0..12 {
        let order = &SIGMA[round % 10];
        for (at, words) in MIXES.iter().enumerate() {
            mix(&mut work, *words, message[order[2 * at]], message[order[2 * at + 1]]);
        }
    }
    for at in 0..8 {
        state[at] ^= work[at] ^ work[at + 8];
    }
}

fn mix(work: &mut [u64; 16], [a, b, c, d]: [usize; 4], x: u64, y: u64) {
    for (input, first, second) in [(x, 32, 24), (y, 16, 63)] {
        work[a] = work[a].wrapping_add(work[b]).wrapping_add(input);
        work[d] = (work[d] ^ work[a]).rotate_right(first);
        work[c] = work[c].wrapping_add(work[d]);
        work[b] = (work[b] ^ work[c]).rotate_right(second);
    }
}

#[cfg(test)]
mod tests {
    use super::digest4;

    /// Each row was asked from Python's own `hashlib`; the lengths stand around the block's.
    #[test]
    fn digests_are_pythons() {
        assert_eq!(digest4(b"abc"), [0x63, 0x90, 0x62, 0x48]);
        let rows = [
            (0, 0x1271_cf25_u32),
            (1, 0x0ad8_3173),
            (3, 0x579c_4f35),
            (127, 0xfb77_425d),
            (128, 0xb36f_9364),
            (129, 0xb382_d211),
            (256, 0x1b87_e177),
            (300, 0xc1bd_1d06),
        ];
        for (length, digest) in rows {
            let text: Vec<u8> = (0..length).map(|it: u32| (it % 251) as u8).collect();
            assert_eq!(digest4(&text), digest.to_be_bytes(), "{length} bytes");
        }
    }
}
