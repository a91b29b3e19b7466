//! Under a limit on address space: chunks are mapped in parts, where they lie without it.

use netcheck_memory::Arena;
use std::process::Command;

/// The text that a test of this program prints under a limit in kilobytes, or under none.
fn printed(test: &str, limit: &str) -> String {
    let program = std::env::current_exe().expect("this program has a file");
    let mut child = Command::new("sh");
    child.args(["-c", "ulimit -v $0 && exec \"$@\"", limit]).arg(program);
    let output = child.args([test, "--exact", "--ignored", "--nocapture"]).output().expect("there is a shell");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{limit}: {text}{}", String::from_utf8_lossy(&output.stderr));
    text.lines().filter(|line| line.starts_with("image")).map(|line| format!("{line}\n")).collect()
}

/// Twenty runs at a time, each of which allocates some slabs.
#[test]
#[ignore = "run in a child: under a limit"]
fn images_are_printed() {
    let arenas: Vec<Arena> = (0..20).map(|_| Arena::new().expect("there is room")).collect();
    for (number, arena) in (0_u32..).zip(&arenas) {
        let held = arena.enter(|| {
            let small: Vec<Box<u32>> = (0..3000).map(|index| Box::new(index + number % 2)).collect();
            Box::new((small, vec![7_u8; 5 << 20]))
        });
        let image = arena.image(|scan| scan.pointer(&raw const *held)).expect("an image");
        println!("image {number}: {image:?} at {:x}", held.1.as_ptr().addr());
        assert!(!arena.has_overflowed());
        arena.enter(|| drop(held));
    }
}

#[test]
fn images_are_the_same_under_a_limit() {
    let unlimited = printed("address_space::images_are_printed", "unlimited");
    assert_eq!(unlimited.lines().count(), 20);
    for limit in ["7000000", "2000000"] {
        assert_eq!(printed("address_space::images_are_printed", limit), unlimited, "{limit} kB");
    }
}
