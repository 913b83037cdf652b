//! Numbers of all kinds.

use super::{Grammar, check_all, expression};

fn word(text: &str) -> String {
    expression(text)
        .replace("Word { signed: false, ", "u{ ")
        .replace("Word { signed: true, ", "s{ ")
}

#[test]
fn words_have_a_base_a_sign_and_a_width() {
    for (text, expected) in [
        ("0ub8_1010_1", "u{ width: 8, bits: 21 }"),
        ("0b_101", "u{ width: 3, bits: 5 }"),
        ("0B4_0101", "u{ width: 4, bits: 5 }"),
        ("0sb3_111", "s{ width: 3, bits: 7 }"),
        ("0o_17", "u{ width: 6, bits: 15 }"),
        ("0uO5_17", "u{ width: 5, bits: 15 }"),
        ("0sd8_12", "s{ width: 8, bits: 12 }"),
        ("0D8_255", "u{ width: 8, bits: 255 }"),
        ("0h_ff", "u{ width: 8, bits: 255 }"),
        ("0sH16_aB", "s{ width: 16, bits: 171 }"),
        ("0h_ffff_ffff_ffff_ffff", "u{ width: 64, bits: 18446744073709551615 }"),
        ("0ud64_18446744073709551615", "u{ width: 64, bits: 18446744073709551615 }"),
    ] {
        assert_eq!(word(text), expected, "{text}");
    }
}

#[test]
fn words_out_of_range_are_errors() {
    for (text, expected) in [
        ("0ub3_1111", "this number does not fit 3 bits"),
        ("0ub3_12", "this has digits that do not belong to base 2"),
        ("0d_3", "a decimal word needs a width, as in `0ud8_12`"),
        ("0b0_0", "the width of a word is 1 to 64 bits"),
        ("0b65_0", "the width of a word is 1 to 64 bits"),
        ("0b99999999999_0", "the width of a word is 1 to 64 bits"),
        ("0h_0ffff_ffff_ffff_ffff", "the width of a word is 1 to 64 bits"),
        ("0ud64_18446744073709551616", "this number does not fit 64 bits"),
    ] {
        assert_eq!(expression(text), format!("1:1 bad-number: {expected}\n"), "{text}");
    }
}

#[test]
fn integers_have_up_to_64_bits() {
    check_all(
        Grammar::Smv,
        &[
            ("2147483647", "2147483647"),
            ("2147483648", "Int(2147483648)"),
            ("9223372036854775807", "Int(9223372036854775807)"),
            ("9223372036854775808", "1:1 bad-number: this integer does not fit 64 bits\n"),
            ("007", "7"),
        ],
    );
}

#[test]
fn reals_are_fractions_in_lowest_terms() {
    check_all(
        Grammar::Smv,
        &[
            ("0.5", "Real(1, 2)"),
            ("1e5", "Real(100000, 1)"),
            ("25E-2", "Real(1, 4)"),
            ("1.50e+1", "Real(15, 1)"),
            ("f'6/4", "Real(3, 2)"),
            ("F'0/4", "Real(0, 1)"),
            ("0e999999999999", "Real(0, 1)"),
            ("f'1/0", "1:1 bad-number: the denominator is zero\n"),
            ("1e19", "1:1 bad-number: this number does not fit a fraction of 64-bit integers\n"),
        ],
    );
}
