//! The executable's debug information (DWARF 4 and 5), as it lies in its file.

use crate::types::shape::Place;
use crate::{platform, symbols};
use gimli::{AttributeValue, DebugInfoOffset, DwAt, Dwarf, EndianSlice, LittleEndian, Unit};
use object::{Object, ObjectSection};
use std::borrow::Cow;

/// A part of the file.
pub type Bytes = EndianSlice<'static, LittleEndian>;

/// An entry of the debug information: of a type, a variable or a function.
pub type Entry = gimli::DebuggingInformationEntry<Bytes>;

/// The debug information of the executable.
pub struct Executable {
    /// Its sections.
    pub dwarf: Dwarf<Bytes>,
    /// The units of the compilation, in their order.
    pub units: Vec<Unit<Bytes>>,
    /// Where the executable is loaded.
    pub loaded_at: usize,
}

impl Executable {
    /// `None` if it can't be read.
    pub fn read() -> Option<Executable> {
        let loaded_at = symbols::load_address()?;
        let file = object::File::parse(platform::map_executable()?).ok()?;
        let dwarf = Dwarf::load(|section| {
            let data = file.section_by_name(section.name()).and_then(|found| found.uncompressed_data().ok());
            let data: &'static [u8] = match data {
                Some(Cow::Borrowed(data)) => data,
                Some(Cow::Owned(data)) => Vec::leak(data),
                None => &[],
            };
            Ok::<_, gimli::Error>(EndianSlice::new(data, LittleEndian))
        });
        let dwarf = dwarf.ok()?;
        let mut units = Vec::new();
        let mut headers = dwarf.units();
        while let Some(header) = headers.next().ok()? {
            units.push(dwarf.unit(header).ok()?);
        }
        Some(Executable { dwarf, units, loaded_at })
    }

    /// The place to which an attribute of a unit refers.
    pub fn place(&self, unit: usize, reference: AttributeValue<Bytes>) -> Option<Place> {
        match reference {
            AttributeValue::UnitRef(offset) => Some((unit, offset.0)),
            AttributeValue::DebugInfoRef(offset) => self.elsewhere(offset),
            _ => None,
        }
    }

    /// The place of what is described in another unit.
    fn elsewhere(&self, offset: DebugInfoOffset) -> Option<Place> {
        let begins = |unit: &Unit<Bytes>| unit.header.debug_info_offset().is_some_and(|start| start <= offset);
        let number = self.units.partition_point(begins).checked_sub(1)?;
        Some((number, offset.to_unit_offset(&self.units[number].header)?.0))
    }

    /// The name of what is described in a unit; empty if it has none.
    pub fn name(&self, unit: usize, entry: &Entry) -> &'static [u8] {
        entry.attr_value(gimli::DW_AT_name).map_or(b"", |name| self.text(unit, name))
    }

    /// The text of an attribute of a unit; empty if it is none.
    pub fn text(&self, unit: usize, attribute: AttributeValue<Bytes>) -> &'static [u8] {
        self.dwarf.attr_string(&self.units[unit], attribute).map_or(b"", |text| text.slice())
    }
}

/// The number that an attribute says.
pub fn number(entry: &Entry, attribute: DwAt) -> Option<usize> {
    entry.attr_value(attribute)?.udata_value()?.try_into().ok()
}
