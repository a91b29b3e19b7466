//! `cargo netcheck clean`.

use crate::Result;
use crate::failed::Notes;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Files that failing checks leave. A folder of this name may hold other things: a profile may be called `netcheck`.
const ENDINGS: [&str; 4] = ["failed", "json", "html", "tmp"];

pub(crate) fn run(notes: &Notes, name: Option<&str>) -> Result<ExitCode> {
    let files = match name {
        Some(_) => {
            let failed = notes.named(name)?;
            ENDINGS.iter().map(|ending| failed.note.with_extension(ending)).filter(|file| file.exists()).collect()
        }
        None => notes.files()?.into_iter().filter(|file| is_ours(file)).collect::<Vec<PathBuf>>(),
    };
    for file in &files {
        fs::remove_file(file).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    let count = match files.len() {
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    };
    println!("removed {count}");
    Ok(ExitCode::SUCCESS)
}

fn is_ours(file: &Path) -> bool {
    file.is_file() && file.extension().is_some_and(|extension| ENDINGS.iter().any(|ending| extension == *ending))
}
