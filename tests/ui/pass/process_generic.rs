//! Type parameters, constants and conditions.

use std::fmt::Debug;
use std::str::FromStr;

use netcheck::{Isolated, process};

trait Ask {
    fn ask(&self) -> u32;
}

impl Ask for u32 {
    fn ask(&self) -> u32 {
        *self
    }
}

#[process]
async fn ask_all<T, const N: usize>(questions: [T; N]) -> Vec<u32>
where
    T: Ask + Isolated + Clone + Debug + Send + Sync + 'static,
{
    questions.iter().map(Ask::ask).collect()
}

#[process]
async fn parsed<T: FromStr + Isolated + Clone + Debug + 'static>(text: String) -> Option<T> {
    text.parse().ok()
}

pub fn main() {
    let _ = ask_all([1, 2, 3]);
    let _ = parsed::<u32>("1".to_owned());
}
