//! The variables of this program's executable by name, from the file's table of symbols.
//!
//! The table is there unless the executable was stripped. Nothing here is trusted: `variables`, `generators` and `interposed::exits`
//! validate what they find with variables of their own.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::OnceLock;
use std::sync::atomic::AtomicUsize;

/// A variable of the executable that is written while it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// As it is mangled.
    pub name: String,
    pub kind: Kind,
    /// Bytes from the start of a thread's block of variables, or from where the executable is loaded.
    pub offset: usize,
    pub bytes: usize,
}

/// The owner of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One for all threads.
    Static,
    /// One for each thread.
    ThreadLocal,
}

/// The type of a section that is a table of symbols.
const SYMBOLS: u32 = 2;
/// The flag of a section that is written.
const WRITE: u64 = 1;
/// The type of a symbol that is a variable.
const OBJECT: u8 = 1;
/// The type of a symbol that is a thread-local variable.
const THREAD_LOCAL: u8 = 6;
const SECTION_BYTES: usize = 64;
const SYMBOL_BYTES: usize = 24;
/// The longest beginning of a name that is read.
const NAME_BYTES: usize = 512;
/// Symbols are read in blocks, in 64 KiB: a table may be larger than all else that a small check needs.
const BLOCK_SYMBOLS: usize = (64 << 10) / SYMBOL_BYTES;

/// The variables of the executable; none if it can't be read. To be called where allocations are the system's, and no source
/// is asked.
pub fn variables() -> &'static [Variable] {
    static VARIABLES: OnceLock<Vec<Variable>> = OnceLock::new();
    VARIABLES.get_or_init(|| of_executable().unwrap_or_default())
}

/// The variables with a part of a name.
pub fn named(part: &str) -> impl Iterator<Item = &'static Variable> {
    variables().iter().filter(move |variable| variable.name.contains(part))
}

/// The crate in a mangled name that begins with it; `None` if the name begins with a type or with parameters. To demangle
/// the names of all variables takes longer than a small check.
pub fn crate_of_path(mangled: &str) -> Option<&str> {
    let identifier = match mangled.strip_prefix("_ZN") {
        Some(legacy) => legacy,
        None => {
            // `N` and a namespace for each part of the path (RFC 2603), then `C` for the crate, and what tells it from others
            // of its name.
            let mut path = mangled.strip_prefix("_R")?;
            while let Some(nested) = path.strip_prefix('N') {
                path = nested.get(1..)?;
            }
            let crate_root = path.strip_prefix('C')?;
            match crate_root.strip_prefix('s') {
                Some(told_apart) => told_apart.split_once('_')?.1,
                None => crate_root,
            }
        }
    };
    let (digits, rest) = identifier.split_at(identifier.find(|sign: char| !sign.is_ascii_digit())?);
    let name = rest.get(..digits.parse().ok()?)?;
    let is_plain = name.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '_') && !name.starts_with('_');
    is_plain.then_some(name)
}

/// A variable by which the executable's place in memory is found.
static PLACE: AtomicUsize = AtomicUsize::new(0);

/// Part of its mangled name.
const OF_PLACE: &str = "15netcheck_memory7symbols5PLACE";

/// Where the executable is loaded, if its table of symbols says where its variables are.
pub fn load_address() -> Option<usize> {
    let place =
        named(OF_PLACE).find(|variable| variable.kind == Kind::Static && variable.bytes == size_of::<usize>())?;
    std::ptr::from_ref(&PLACE).expose_provenance().checked_sub(place.offset)
}

fn of_executable() -> io::Result<Vec<Variable>> {
    let file = &mut File::open("/proc/self/exe")?;
    let header = bytes(file, 0, 64)?;
    if header[..6] != [0x7f, b'E', b'L', b'F', 2, 1] {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let sections = usize::from(u16_at(&header, 0x3c)) * SECTION_BYTES;
    let sections = bytes(file, u64_at(&header, 0x28), sections)?;
    let section = |number: usize| sections.chunks_exact(SECTION_BYTES).nth(number);
    let Some(table) = sections.chunks_exact(SECTION_BYTES).find(|section| u32_at(section, 4) == SYMBOLS) else {
        return Ok(Vec::new());
    };
    let names_of_sections = section(usize::from(u16_at(&header, 0x3e))).ok_or(io::ErrorKind::InvalidData)?;
    let mut is_written = Vec::new();
    for section in sections.chunks_exact(SECTION_BYTES) {
        let named = name(file, u64_at(names_of_sections, 24) + u64::from(u32_at(section, 0)))?;
        // Sections that the loader alone writes have other names.
        let is_data = [".data", ".bss"].iter().any(|data| named.starts_with(data)) && !named.contains(".rel.ro");
        is_written.push(is_data && u64_at(section, 8) & WRITE != 0);
    }
    let names = section(u32_at(table, 40) as usize).ok_or(io::ErrorKind::InvalidData)?;
    let (mut at, mut left) = (u64_at(table, 24), u64_at(table, 32) as usize);
    let mut block = vec![0; BLOCK_SYMBOLS * SYMBOL_BYTES];
    let mut variables = Vec::new();
    while left >= SYMBOL_BYTES {
        let count = left.min(block.len());
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(&mut block[..count])?;
        (at, left) = (at + count as u64, left - count);
        for symbol in block[..count].chunks_exact(SYMBOL_BYTES) {
            let kind = match symbol[4] & 0xf {
                OBJECT if is_written.get(usize::from(u16_at(symbol, 6))) == Some(&true) => Kind::Static,
                THREAD_LOCAL if u16_at(symbol, 6) != 0 => Kind::ThreadLocal,
                _ => continue,
            };
            let name = name(file, u64_at(names, 24) + u64::from(u32_at(symbol, 0)))?;
            let (offset, bytes) = (u64_at(symbol, 8) as usize, u64_at(symbol, 16) as usize);
            variables.push(Variable { name, kind, offset, bytes });
        }
    }
    Ok(variables)
}

/// The name that begins there, up to the zero.
fn name(file: &mut File, at: u64) -> io::Result<String> {
    let mut name = [0; NAME_BYTES];
    file.seek(SeekFrom::Start(at))?;
    let read = file.read(&mut name)?;
    let end = name[..read].iter().position(|&byte| byte == 0).unwrap_or(read);
    Ok(String::from_utf8_lossy(&name[..end]).into_owned())
}

fn bytes(file: &mut File, at: u64, count: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; count];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crate_of_a_path_is_told_from_its_mangled_name() {
        let known = [
            ("_ZN7program7COUNTER17h0123456789abcdefE", Some("program")),
            ("_RNvCs1234_7program7COUNTER", Some("program")),
            ("_RNvNtNtCsbG7wjyWBNpY_3std3sys5LOCAL", Some("std")),
            ("_RNvC7program7COUNTER", Some("program")),
            ("_ZN56_$LT$program..Own$u20$as$u20$core..default..Default$GT$7default3KEY17h0123456789abcdefE", None),
            ("_RNvXCs1234_7programNtB2_3OwnNtNtCs5_4core7default7Default3KEY", None),
            ("_RNvINvCs1234_7program7generichE3KEY", None),
            ("environ", None),
            ("_ZN", None),
            ("_R", None),
        ];
        for (mangled, name) in known {
            assert_eq!(crate_of_path(mangled), name, "{mangled}");
        }
    }

    /// The path that a mangled name stands for begins with the crate that is read off it.
    #[test]
    fn the_crates_of_all_variables_of_this_executable_are_told() {
        let mut told = 0;
        for Variable { name, .. } in variables() {
            if let Some(of) = crate_of_path(name) {
                let path = format!("{:#}", rustc_demangle::demangle(name));
                assert!(path.starts_with(&format!("{of}::")), "{name}: {path}");
                told += 1;
            }
        }
        assert!(!cfg!(all(target_os = "linux", not(miri))) || told > 50, "{told}");
    }
}
