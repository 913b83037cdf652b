//! Numbers and bytes in few characters.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Appends a number: five bits per digit, lowest first; the sixth bit marks continuation.
pub fn push(text: &mut String, mut number: usize) {
    loop {
        let low = number & 31;
        number >>= 5;
        let more = if number > 0 { 32 } else { 0 };
        text.push(DIGITS[low | more] as char);
        if number == 0 {
            return;
        }
    }
}

/// Tests that stand at once after the one before take one digit with their state, if it is small.
const NEXT: usize = 44;
/// So do tests with one between.
const NEXT_BUT_ONE: usize = 18;
/// The digit before two numbers.
const FAR: usize = NEXT + NEXT_BUT_ONE;

/// Appends a state of a test that comes `gap` tests after the one before.
pub fn push_hit(text: &mut String, gap: usize, state: usize) {
    match gap {
        1 if state < NEXT => text.push(DIGITS[state] as char),
        2 if state < NEXT_BUT_ONE => text.push(DIGITS[NEXT + state] as char),
        _ => {
            text.push(DIGITS[FAR] as char);
            push(text, gap);
            push(text, state);
        }
    }
}

/// Bytes as in RFC 4648.
pub fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |idx: usize| u32::from(chunk.get(idx).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for idx in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * idx) & 63) as usize] as char;
            text.push(if idx <= chunk.len() { digit } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_padded() {
        let encoded = ["", "f", "fo", "foo", "foob"].map(|text| base64(text.as_bytes()));
        assert_eq!(encoded, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]);
    }

    #[test]
    fn small_numbers_take_one_digit() {
        let mut text = String::new();
        [0, 31, 32, 1024].into_iter().for_each(|number| push(&mut text, number));
        assert_eq!(text, "AfgBggB");
    }

    #[test]
    fn near_tests_take_one_digit() {
        let mut text = String::new();
        let hits = [(1, 0), (1, 43), (2, 0), (2, 17), (1, 44), (0, 3)];
        hits.into_iter().for_each(|(gap, state)| push_hit(&mut text, gap, state));
        assert_eq!(text, "Ars9+BsB+AD");
    }
}
