//! `?` in conditions, bodies and calls that are awaited.

use std::num::ParseIntError;

#[netcheck::process]
async fn sum(texts: Vec<String>) -> Result<u32, String> {
    let mut sum = 0;
    let mut index = 0;
    while next(&texts, index).await?.is_some() {
        sum += parse(&texts[index]).await.map_err(|error| error.to_string())?;
        index += 1;
    }
    for text in &texts {
        let value: u32 = text.parse().map_err(|error: ParseIntError| error.to_string())?;
        sum = add(sum, value).await.ok_or_else(|| format!("{sum} and {value}"))?;
    }
    Ok(sum)
}

async fn next(texts: &[String], index: usize) -> Result<Option<&String>, String> {
    Ok(texts.get(index))
}

async fn parse(text: &str) -> Result<u32, ParseIntError> {
    text.parse()
}

async fn add(a: u32, b: u32) -> Option<u32> {
    a.checked_add(b)
}

pub fn main() {
    let _ = sum(Vec::new());
}
