//! `cargo netcheck open`.

use crate::Result;
use crate::failed::Failed;
use std::process::ExitCode;

pub(crate) fn run(failed: &Failed, prints_only: bool) -> Result<ExitCode> {
    let page = failed.page()?;
    println!("{}", page.display());
    if prints_only {
        return Ok(ExitCode::SUCCESS);
    }
    if !has_display() {
        eprintln!("note: no display is known here, and so no browser is started: open the file in yours");
        return Ok(ExitCode::SUCCESS);
    }
    if let Err(error) = open::that_detached(page) {
        eprintln!("note: no browser could be started ({error}): open the file in yours");
    }
    Ok(ExitCode::SUCCESS)
}

/// Elsewhere than on Unix with a window system of its own choice, there always is one.
fn has_display() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(all(unix, not(target_os = "macos")))
        || ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER", "WSL_DISTRO_NAME"].into_iter().any(is_set)
}
