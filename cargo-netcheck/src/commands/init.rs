//! `cargo netcheck init`.

use crate::Result;
use crate::workspace::{IN_THE_REGISTRY, cargo, not_started};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Adds netcheck to the dev-dependencies of a package, by `cargo add`: from the clone that this program was built in, as long as
/// it is there, and else from the registry, in the version of this program.
pub(crate) fn run(manifest_path: Option<PathBuf>, package: Option<&str>) -> Result<ExitCode> {
    let mut add = Command::new(cargo());
    add.args(["add", "--dev"]);
    match clone() {
        Some(clone) => add.args(["netcheck", "--path"]).arg(clone),
        None => add.arg(format!("{IN_THE_REGISTRY}@{}", env!("CARGO_PKG_VERSION"))).args(["--rename", "netcheck"]),
    };
    if let Some(manifest) = manifest_path {
        add.arg("--manifest-path").arg(manifest);
    }
    add.args(package.map(|package| ["--package", package]).into_iter().flatten());
    if !add.status().map_err(not_started)?.success() {
        return Ok(ExitCode::FAILURE);
    }
    println!(
        "\nwrite a check, in a test or beside the programs:\n\n    \
         #[netcheck::model_check(tcp(read, write, reset), at_most = 1)]\n    \
         fn requests_are_answered_or_fail(net: &mut netcheck::Network) {{\n        \
         net.daemon(\"server\", my_server);\n        \
         net.process(\"client\", my_client).after(\"server\");\n    }}\n\n\
         then: cargo netcheck test"
    );
    Ok(ExitCode::SUCCESS)
}

/// The clone of netcheck's repository that this program was built in, if it is there.
fn clone() -> Option<PathBuf> {
    let clone = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?;
    let manifest = std::fs::read_to_string(clone.join("Cargo.toml")).ok()?;
    manifest.lines().any(|line| line.trim() == "name = \"netcheck\"").then(|| clone.to_owned())
}
