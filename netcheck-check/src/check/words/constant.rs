//! Whole numbers, and expressions of them as a test's attribute takes them: `1_000`, `2 << 30`, `4 * (1 << 20)`.

/// Why an expression has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoValue {
    /// It is no expression of whole numbers.
    Other,
    /// A part of it is larger than numbers are, or less than zero, or a division by zero.
    TooLarge,
    Negative,
    ByZero,
}

/// The operators by how tightly they bind, the loosest first, as in Rust.
const OPERATORS: [&[&str]; 3] = [&["<<", ">>"], &["+", "-"], &["*", "/", "%"]];

/// The value of an expression of whole numbers.
pub(super) fn value(text: &str) -> Result<u64, NoValue> {
    let mut rest = text.trim_start();
    let value = operation(&mut rest, &OPERATORS)?;
    if rest.is_empty() { Ok(value) } else { Err(NoValue::Other) }
}

/// Operands with operators between them, from the left; an operand binds as tightly as the later `levels` say.
fn operation(rest: &mut &str, levels: &[&[&str]]) -> Result<u64, NoValue> {
    let Some((operators, tighter)) = levels.split_first() else { return operand(rest) };
    let mut value = operation(rest, tighter)?;
    while let Some(operator) = operators.iter().find(|operator| rest.starts_with(**operator)) {
        *rest = rest[operator.len()..].trim_start();
        value = applied(operator, value, operation(rest, tighter)?)?;
    }
    Ok(value)
}

fn applied(operator: &str, left: u64, right: u64) -> Result<u64, NoValue> {
    // A shift loses no bit of its number.
    let shift = |right| u32::try_from(right).ok().filter(|&right| left == 0 || right <= left.leading_zeros());
    match operator {
        "<<" if left == 0 => Ok(0),
        "<<" => shift(right).and_then(|right| left.checked_shl(right)).ok_or(NoValue::TooLarge),
        ">>" => Ok(u32::try_from(right).ok().and_then(|right| left.checked_shr(right)).unwrap_or(0)),
        "+" => left.checked_add(right).ok_or(NoValue::TooLarge),
        "*" => left.checked_mul(right).ok_or(NoValue::TooLarge),
        "-" => left.checked_sub(right).ok_or(NoValue::Negative),
        "/" => left.checked_div(right).ok_or(NoValue::ByZero),
        _ => left.checked_rem(right).ok_or(NoValue::ByZero),
    }
}

/// A number, or an expression in parentheses.
fn operand(rest: &mut &str) -> Result<u64, NoValue> {
    if let Some(inner) = rest.strip_prefix('(') {
        *rest = inner.trim_start();
        let value = operation(rest, &OPERATORS)?;
        *rest = rest.strip_prefix(')').ok_or(NoValue::Other)?.trim_start();
        return Ok(value);
    }
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    let (written, after) = rest.split_at(end);
    *rest = after.trim_start();
    literal(written)
}

/// A number as it is written in Rust, with the type of sizes or of seeds behind it or none.
fn literal(written: &str) -> Result<u64, NoValue> {
    let digits = ["usize", "u64"].iter().find_map(|suffix| written.strip_suffix(suffix)).unwrap_or(written);
    let radices = [("0x", 16), ("0o", 8), ("0b", 2)];
    let (digits, radix) =
        radices.iter().find_map(|&(prefix, radix)| Some((digits.strip_prefix(prefix)?, radix))).unwrap_or((digits, 10));
    let digits = digits.replace('_', "");
    let are_digits = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    u64::from_str_radix(&digits, radix).map_err(|_| if are_digits { NoValue::TooLarge } else { NoValue::Other })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_rust() {
        let known = [
            ("0", 0),
            ("1_000", 1_000),
            ("7usize", 7),
            ("7u64", 7),
            ("0xff", 0xff),
            ("0b101_0", 0b1010),
            ("2 << 30", 2 << 30),
            ("1 + 2 << 3 * 4", (1 + 2) << (3 * 4)),
            ("2<<1<<2", 2 << 1 << 2),
            ("100 - 7 - 3", 100 - 7 - 3),
            ("100 / 7 % 3 + 0o17", 100 / 7 % 3 + 0o17),
            ("4 * ( 1 << (10 + 10) )", 4 * (1 << (10 + 10))),
            ("256 >> 4", 256 >> 4),
            ("1 << 63", 1 << 63),
            ("18446744073709551615", u64::MAX),
        ];
        for (text, expected) in known {
            assert_eq!(value(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_has_no_value_says_why() {
        let known = [
            ("18446744073709551616", NoValue::TooLarge),
            ("3 << 63", NoValue::TooLarge),
            ("1 << 64", NoValue::TooLarge),
            ("4294967296 * 4294967296", NoValue::TooLarge),
            ("18446744073709551615 + 1", NoValue::TooLarge),
            ("1 - 2", NoValue::Negative),
            ("1 / (2 - 2)", NoValue::ByZero),
            ("", NoValue::Other),
            ("2 <", NoValue::Other),
            ("2 << ", NoValue::Other),
            ("(2", NoValue::Other),
            ("2)", NoValue::Other),
            ("2u8", NoValue::Other),
            ("2.5", NoValue::Other),
            ("0x", NoValue::Other),
            ("N", NoValue::Other),
        ];
        for (text, expected) in known {
            assert_eq!(value(text), Err(expected), "{text}");
        }
    }
}
