//! The variables of this program's executable by name, from the file's table of symbols.
//!
//! The table is there unless the executable was stripped. Nothing here is trusted: `variables`, `generators` and `exits`
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

/// Of whom a variable is.
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
const NAME_BYTES: u64 = 512;

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
    let symbols = bytes(file, u64_at(table, 24), u64_at(table, 32) as usize)?;
    let mut variables = Vec::new();
    for symbol in symbols.chunks_exact(SYMBOL_BYTES) {
        let kind = match symbol[4] & 0xf {
            OBJECT if is_written.get(usize::from(u16_at(symbol, 6))) == Some(&true) => Kind::Static,
            THREAD_LOCAL if u16_at(symbol, 6) != 0 => Kind::ThreadLocal,
            _ => continue,
        };
        let name = name(file, u64_at(names, 24) + u64::from(u32_at(symbol, 0)))?;
        let (offset, bytes) = (u64_at(symbol, 8) as usize, u64_at(symbol, 16) as usize);
        variables.push(Variable { name, kind, offset, bytes });
    }
    Ok(variables)
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
