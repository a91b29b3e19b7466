//! The syntax of words in a text, before they mean anything: `loss`, `reorder = 2`,
//! `udp(loss, reorder = 2)`.

use super::Wrong;
use std::ops::Range;
use winnow::ascii::multispace0;
use winnow::combinator::{alt, cut_err, delimited, empty, eof, opt, peek, preceded, repeat, repeat_till, terminated};
use winnow::error::{ContextError, ErrMode};
use winnow::stream::AsChar;
use winnow::token::{one_of, take_till, take_while};
use winnow::{LocatingSlice, Parser};

/// One word and what follows it.
pub(super) struct Word<'a> {
    pub(super) name: &'a str,
    pub(super) at: Range<usize>,
    pub(super) form: Form<'a>,
}

pub(super) enum Form<'a> {
    /// `loss`
    Alone,
    /// `reorder = 2`
    Value(Value<'a>),
    /// `udp(loss)`
    List(Vec<Word<'a>>),
    /// `retransmissions(2)`
    Number(Value<'a>),
}

pub(super) struct Value<'a> {
    pub(super) at: Range<usize>,
    pub(super) kind: Kind<'a>,
}

pub(super) enum Kind<'a> {
    /// The number as it was written, or the expression of numbers.
    Number(&'a str),
    /// The text between quotes.
    Name(&'a str),
    /// `[1, 0, 2]`
    List(Vec<Value<'a>>),
    /// `1ms..=200ms`, `5ms..`: the bounds as they were written, and the dots.
    Range { least: &'a str, dots: &'a str, most: Option<&'a str> },
    /// `bfs`, `random(seed = 7)`
    Word(Box<Word<'a>>),
}

type Input<'a> = LocatingSlice<&'a str>;
/// An error holds what was expected, in words.
type Failure = ErrMode<ContextError<&'static str>>;
type Parsed<T> = Result<T, Failure>;

/// Reads comma separated words.
pub(super) fn parse(text: &str) -> Result<Vec<Word<'_>>, Wrong> {
    let words = preceded(multispace0, separated_until(word, "a word", eof, "`,` or the end"));
    let parsed = terminated(words, eof).parse(LocatingSlice::new(text));
    parsed.map_err(|error| {
        let expected = error.inner().context().next().copied().unwrap_or("a word");
        Wrong { at: error.char_span(), message: format!("expected {expected}") }
    })
}

/// `items`, each followed by a comma or by `end`, up to `end`, which stays.
fn separated_until<'a, T, E>(
    item: impl Parser<Input<'a>, T, Failure>,
    what: &'static str,
    end: impl Parser<Input<'a>, E, Failure> + Copy,
    or_end: &'static str,
) -> impl Parser<Input<'a>, Vec<T>, Failure> {
    let separator = alt((symbol(',').void(), peek(end).void())).context(or_end);
    let items = repeat_till(0.., terminated(cut_err(item.context(what)), cut_err(separator)), peek(end));
    items.map(|(items, _): (Vec<T>, E)| items)
}

fn word<'a>(input: &mut Input<'a>) -> Parsed<Word<'a>> {
    let (name, at) = token(identifier).parse_next(input)?;
    let words = delimited(symbol('('), separated_until(word, "a word or `)`", ')', "`,` or `)`"), symbol(')'));
    let alone =
        delimited(symbol('('), token(number).map(|(digits, at)| Value { at, kind: Kind::Number(digits) }), symbol(')'));
    let value = preceded(symbol('='), cut_err(value.context("a value")));
    let form =
        alt((alone.map(Form::Number), words.map(Form::List), value.map(Form::Value), empty.map(|()| Form::Alone)))
            .parse_next(input)?;
    Ok(Word { name, at, form })
}

fn value<'a>(input: &mut Input<'a>) -> Parsed<Value<'a>> {
    let values = delimited(symbol('['), separated_until(value, "a value or `]`", ']', "`,` or `]`"), symbol(']'));
    let range = (token(number), token(alt(("..=", ".."))), opt(token(number)));
    let kind = alt((
        range.map(|((least, _), (dots, _), most)| Kind::Range { least, dots, most: most.map(|(most, _)| most) }),
        token(expression).map(|(written, _)| Kind::Number(written)),
        token(name).map(|(name, _)| Kind::Name(name)),
        values.map(Kind::List),
        word.map(|word| Kind::Word(Box::new(word))),
    ));
    let (kind, at) = kind.with_span().parse_next(input)?;
    Ok(Value { at, kind })
}

fn identifier<'a>(input: &mut Input<'a>) -> Parsed<&'a str> {
    (one_of(|c: char| c.is_alphabetic() || c == '_'), take_while(0.., is_part_of_word)).take().parse_next(input)
}

/// A number is parsed later, so that `2u8` is a wrong number, and not a number and a word.
fn number<'a>(input: &mut Input<'a>) -> Parsed<&'a str> {
    (one_of(AsChar::is_dec_digit), take_while(0.., is_part_of_word)).take().parse_next(input)
}

/// Numbers with operators between them: what they come to is reckoned later.
fn expression<'a>(input: &mut Input<'a>) -> Parsed<&'a str> {
    let operator = alt(("<<", ">>", "+", "-", "*", "/", "%"));
    let more = (multispace0, operator, multispace0, cut_err(operand.context("a number")));
    (operand, repeat::<_, _, (), _, _>(0.., more.void())).take().parse_next(input)
}

fn operand<'a>(input: &mut Input<'a>) -> Parsed<()> {
    let inner = delimited((multispace0, empty), expression, multispace0);
    alt((number.void(), ('(', cut_err((inner.context("a number"), ')'.context("`)`")))).void())).parse_next(input)
}

fn name<'a>(input: &mut Input<'a>) -> Parsed<&'a str> {
    delimited('"', take_till(0.., '"'), cut_err('"'.context("a closing quote"))).parse_next(input)
}

fn is_part_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// A token with its range in the text, and without the spaces behind it.
fn token<'a, T>(of: impl Parser<Input<'a>, T, Failure>) -> impl Parser<Input<'a>, (T, Range<usize>), Failure> {
    terminated(of.with_span(), multispace0)
}

fn symbol<'a>(symbol: char) -> impl Parser<Input<'a>, char, Failure> {
    terminated(symbol, multispace0)
}
