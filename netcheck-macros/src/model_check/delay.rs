//! Reads the value of `delay = …`, an interval of delays or a list of them; and of `max_time = …`, a time.

use netcheck_words::UNITS;
use syn::{Expr, ExprArray, ExprLit, ExprRange, Lit, RangeLimits};

use super::ast::{Delays, DelaysKind, Length, Time};
use crate::ctxt::Ctxt;
use crate::words::ungroup;

/// Delays are shorter, in nanoseconds (146 years).
const NS_MAX: u64 = u64::MAX / 4;

/// Types that a number of seconds may be given as.
const INTEGERS: &[&str] = &["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize"];

/// How messages call the length of a delay.
const DELAY: &str = "delay";

/// A time: a literal with a unit, or any expression for a number of seconds.
pub(super) fn time(value: Expr, cx: &Ctxt) -> Option<Time> {
    let is_number = |suffix: &str| suffix.is_empty() || INTEGERS.contains(&suffix);
    match &value {
        Expr::Lit(ExprLit { lit: Lit::Int(literal), .. }) if !is_number(literal.suffix()) => {
            Some(Time { ns: Some(length(&value, "time", cx)?.ns), value })
        }
        Expr::Lit(ExprLit { lit: Lit::Float(_), .. }) => {
            length(&value, "time", cx);
            None
        }
        _ => Some(Time { ns: None, value }),
    }
}

/// Whether the delays make sense is for `valid`.
pub(super) fn read(value: Expr, cx: &Ctxt) -> Option<Delays> {
    let kind = match &value {
        Expr::Range(range) => interval(range, cx),
        Expr::Array(ExprArray { elems, .. }) => {
            // Every element is looked at, so that every mistake is reported.
            let lengths: Vec<_> = elems.iter().map(|element| length(element, DELAY, cx)).collect();
            lengths.into_iter().collect::<Option<Vec<_>>>().map(DelaysKind::Listed)
        }
        Expr::Lit(_) => {
            // A mistake in the literal comes first.
            if length(&value, DELAY, cx).is_some() {
                let only = quote::quote!(#value);
                cx.error(&value, format_args!("expected an interval or a list of delays: write `[{only}]`"));
            }
            None
        }
        _ => {
            cx.error(&value, "expected an interval such as `1ms..=200ms` or `5ms..`, or a list such as `[5ms, 50ms]`");
            None
        }
    }?;
    Some(Delays { value, kind })
}

/// An interval; whether it makes sense is for `valid`.
pub(super) fn read_interval(value: Expr, cx: &Ctxt) -> Option<Delays> {
    let Expr::Range(range) = &value else {
        cx.error(&value, "expected an interval such as `1s..=5s` or `5s..`");
        return None;
    };
    let kind = interval(range, cx)?;
    Some(Delays { value, kind })
}

fn interval(range: &ExprRange, cx: &Ctxt) -> Option<DelaysKind> {
    let ExprRange { start, limits, end, .. } = range;
    let least = start.as_ref().map(|start| length(start, DELAY, cx));
    let most = end.as_ref().map(|end| length(end, DELAY, cx));
    if least.is_none() {
        cx.error(range, "an interval of delays has a lower bound: write `0s..` for any delay");
    }
    if let (RangeLimits::HalfOpen(dots), Some(_)) = (limits, &most) {
        cx.error(dots, "the longest delay belongs to the interval: write `..=`");
        return None;
    }
    let least = least??;
    match most {
        None => Some(DelaysKind::Interval { least, most: None }),
        Some(most) => Some(DelaysKind::Interval { least, most: Some(most?) }),
    }
}

/// A whole number with a unit; `name`: of what it is the length.
fn length(value: &Expr, name: &str, cx: &Ctxt) -> Option<Length> {
    let value = ungroup(value.clone());
    let Expr::Lit(ExprLit { lit, .. }) = &value else {
        cx.error(&value, format_args!("expected a {name}, such as `200ms`"));
        return None;
    };
    let (digits, unit) = match lit {
        Lit::Int(literal) => (literal.base10_digits(), literal.suffix()),
        Lit::Float(_) => {
            cx.error(
                lit,
                format_args!("a {name} is a whole number of some unit: write `1500ms` for one and a half seconds"),
            );
            return None;
        }
        _ => {
            cx.error(lit, format_args!("expected a {name}, such as `200ms`, without quotes"));
            return None;
        }
    };
    let units = "`ns`, `us`, `ms`, `s` or `min`";
    let Some((_, unit_ns)) = UNITS.iter().find(|(name, _)| *name == unit) else {
        match unit {
            "" => cx.error(lit, format_args!("a {name} needs a unit: write `{digits}ms`, or another of {units}")),
            _ => cx.error(lit, format_args!("unknown unit `{unit}`: a {name} is in {units}")),
        }
        return None;
    };
    let ns = digits.parse::<u64>().ok().and_then(|count| count.checked_mul(*unit_ns)).filter(|&ns| ns < NS_MAX);
    if ns.is_none() {
        cx.error(lit, format_args!("this {name} is too long: the longest are 146 years"));
    }
    Some(Length { ns: ns?, literal: lit.clone() })
}
