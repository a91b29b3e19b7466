//! The variables of this program's executable by name, from the file's table of symbols.
//!
//! The table is there unless the executable was stripped. Nothing here is trusted: `generators` and `exits` validate what
//! they find with variables of their own.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// A variable of the executable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    pub name: String,
    /// Bytes from the start of a thread's block of variables, or from where the executable is loaded.
    pub offset: usize,
    pub bytes: usize,
}

/// The type of a section that is a table of symbols.
const SYMBOLS: u32 = 2;
/// The type of a symbol that is a variable.
const OBJECT: u8 = 1;
/// The type of a symbol that is a thread-local variable.
const THREAD_LOCAL: u8 = 6;
/// The bytes of a variable that is a word.
const WORD_BYTES: u64 = 8;
const SECTION_BYTES: usize = 64;
const SYMBOL_BYTES: usize = 24;
/// The longest beginning of a name that is read.
const NAME_BYTES: u64 = 512;

/// The thread-local variables of the executable.
pub fn thread_locals() -> io::Result<Vec<Variable>> {
    of_executable(|symbol| type_of(symbol) == THREAD_LOCAL)
}

/// The variables of the executable that all threads share, and that have the size of a word.
pub fn words() -> io::Result<Vec<Variable>> {
    of_executable(|symbol| type_of(symbol) == OBJECT && u64_at(symbol, 16) == WORD_BYTES)
}

fn type_of(symbol: &[u8]) -> u8 {
    symbol[4] & 0xf
}

fn of_executable(is_wanted: impl Fn(&[u8]) -> bool) -> io::Result<Vec<Variable>> {
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
    let names = section(u32_at(table, 40) as usize).ok_or(io::ErrorKind::InvalidData)?;
    let symbols = bytes(file, u64_at(table, 24), u64_at(table, 32) as usize)?;
    symbols
        .chunks_exact(SYMBOL_BYTES)
        .filter(|symbol| u16_at(symbol, 6) != 0 && is_wanted(symbol))
        .map(|symbol| {
            let at = u64_at(names, 24) + u64::from(u32_at(symbol, 0));
            let (offset, bytes) = (u64_at(symbol, 8) as usize, u64_at(symbol, 16) as usize);
            Ok(Variable { name: name(file, at)?, offset, bytes })
        })
        .collect()
}

/// The name that begins there, up to the zero.
fn name(file: &mut File, at: u64) -> io::Result<String> {
    let mut name = Vec::new();
    file.seek(SeekFrom::Start(at))?;
    file.take(NAME_BYTES).read_to_end(&mut name)?;
    name.truncate(name.iter().position(|&byte| byte == 0).unwrap_or(name.len()));
    Ok(String::from_utf8_lossy(&name).into_owned())
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
