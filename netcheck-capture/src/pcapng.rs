//! Files of the format pcapng.

use crate::error::Error;
use crate::record::{NS_PER_SECOND, Record, Take, must_be_whole};
use pcap_parser::pcapng::{
    BOM_MAGIC, EPB_MAGIC, EnhancedPacketBlock, IDB_MAGIC, InterfaceDescriptionBlock, OptionCode, SHB_MAGIC, SPB_MAGIC,
    parse_enhancedpacketblock_be, parse_enhancedpacketblock_le, parse_interfacedescriptionblock_be,
    parse_interfacedescriptionblock_le, parse_sectionheaderblock,
};
use pcap_parser::traits::PcapNGPacketBlock;

/// The type of the block that enhanced packet blocks have replaced.
const PACKET_BLOCK: u32 = 2;

/// Bytes of a block without contents: its type, and twice its length.
const BLOCK_BYTES_MIN: usize = 12;

/// Whether a file begins as a pcapng file does.
pub(crate) fn is_pcapng(file: &[u8]) -> bool {
    file.starts_with(&SHB_MAGIC.to_le_bytes())
}

/// The order of bytes in numbers, which each section says for itself.
#[derive(Clone, Copy)]
enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    /// From the block that begins a section.
    fn of(section: &[u8]) -> Option<ByteOrder> {
        let magic = u32::from_le_bytes(*section.get(8..)?.first_chunk()?);
        match magic {
            BOM_MAGIC => Some(ByteOrder::Little),
            _ if magic == BOM_MAGIC.swap_bytes() => Some(ByteOrder::Big),
            _ => None,
        }
    }

    fn u32(self, bytes: [u8; 4]) -> u32 {
        match self {
            ByteOrder::Little => u32::from_le_bytes(bytes),
            ByteOrder::Big => u32::from_be_bytes(bytes),
        }
    }

    fn i64(self, bytes: [u8; 8]) -> i64 {
        match self {
            ByteOrder::Little => i64::from_le_bytes(bytes),
            ByteOrder::Big => i64::from_be_bytes(bytes),
        }
    }
}

/// Properties that packets of an interface have in common.
struct Interface {
    link_type: u32,
    units_per_second: u128,
    offset_seconds: i64,
}

/// Takes the record of each packet block of a file.
pub(crate) fn records<'a>(file: &'a [u8], take: Take<'_, 'a>) -> Result<(), Error> {
    let (mut rest, mut number) = (file, 1);
    let (mut order, mut interfaces) = (ByteOrder::Little, Vec::new());
    while !rest.is_empty() {
        // Unlike all else, a section's type reads the same in both orders.
        if is_pcapng(rest) {
            let corrupt = || Error::packet_is(number, "the section header in its place is corrupt");
            order = ByteOrder::of(rest).ok_or_else(corrupt)?;
            interfaces.clear();
        }
        let (kind, block, after) = split_block(rest, order).map_err(|what| Error::packet_is(number, what))?;
        match kind {
            SHB_MAGIC => must_be_version_1(block).map_err(|what| Error::packet_is(number, what))?,
            IDB_MAGIC => {
                let interface = Interface::parse(block, order);
                interfaces.push(interface.map_err(|what| Error::packet_is(number, what))?);
            }
            EPB_MAGIC => {
                take(record(number, block, order, &interfaces)?)?;
                number += 1;
            }
            SPB_MAGIC => return Err(Error::packet_is(number, "has no instant (a simple packet block)")),
            PACKET_BLOCK => {
                let what = "is in an obsolete packet block: convert the file with `editcap`";
                return Err(Error::packet_is(number, what));
            }
            _ => {}
        }
        rest = after;
    }
    Ok(())
}

/// The type of the first block, the block, and what comes after it.
fn split_block(rest: &[u8], order: ByteOrder) -> Result<(u32, &[u8], &[u8]), &'static str> {
    const CUT: &str =
        "the file ends within it or the block in its place: the file is truncated, or a length is corrupt";
    let word = |at: usize| rest.get(at..).and_then(<[u8]>::first_chunk).map(|bytes| order.u32(*bytes)).ok_or(CUT);
    let (kind, length) = (word(0)?, word(4)?);
    let bytes = usize::try_from(length).map_err(|_| CUT)?;
    if bytes < BLOCK_BYTES_MIN || !bytes.is_multiple_of(4) {
        return Err("the length of its block is corrupt");
    }
    let (block, after) = rest.split_at_checked(bytes).ok_or(CUT)?;
    if word(bytes - 4)? != length {
        return Err("the two lengths of its block differ: the block is corrupt");
    }
    Ok((kind, block, after))
}

fn must_be_version_1(block: &[u8]) -> Result<(), String> {
    let (_, section) = parse_sectionheaderblock(block).map_err(|_| "the section header in its place is corrupt")?;
    match section.major_version {
        1 => Ok(()),
        version => Err(format!("version {version} of pcapng is not known: only 1")),
    }
}

impl Interface {
    fn parse(block: &[u8], order: ByteOrder) -> Result<Interface, String> {
        let parse = match order {
            ByteOrder::Little => parse_interfacedescriptionblock_le,
            ByteOrder::Big => parse_interfacedescriptionblock_be,
        };
        let corrupt = "the interface description in its place is corrupt";
        let (_, description) = parse(block).map_err(|_| corrupt)?;
        // The parser drops all options after a corrupt one.
        let options_bytes: usize = description.options.iter().map(|option| 4 + option.value.len()).sum();
        if options_bytes + 20 != block.len() {
            return Err(corrupt.to_owned());
        }
        Ok(Interface {
            link_type: description.linktype.0.cast_unsigned(),
            units_per_second: units_per_second(description.if_tsresol)?,
            offset_seconds: offset_seconds(&description, order).ok_or(corrupt)?,
        })
    }

    /// Nanoseconds since 1970, if they are not before that nor after the year 2554.
    fn at_ns(&self, units: u64) -> Option<u64> {
        let ns = u128::from(units).checked_mul(NS_PER_SECOND.into())? / self.units_per_second;
        let offset_ns = i128::from(self.offset_seconds).checked_mul(NS_PER_SECOND.into())?;
        u64::try_from(i128::try_from(ns).ok()?.checked_add(offset_ns)?).ok()
    }
}

/// The option `if_tsresol`: a power of 2 with the highest bit, else of 10.
fn units_per_second(resolution: u8) -> Result<u128, String> {
    let exponent = u32::from(resolution & 0x7f);
    let units = if resolution & 0x80 == 0 { 10_u128.checked_pow(exponent) } else { 2_u128.checked_pow(exponent) };
    units.ok_or_else(|| format!("the resolution of its interface's instants is corrupt ({resolution:#x})"))
}

/// The option `if_tsoffset`, which the parser reads as little-endian in each section.
fn offset_seconds(description: &InterfaceDescriptionBlock<'_>, order: ByteOrder) -> Option<i64> {
    match description.options.iter().find(|option| option.code == OptionCode::IfTsoffset) {
        None => Some(0),
        Some(option) => Some(order.i64(option.as_bytes().ok()?.try_into().ok()?)),
    }
}

fn record<'a>(number: usize, block: &'a [u8], order: ByteOrder, interfaces: &[Interface]) -> Result<Record<'a>, Error> {
    let parse = match order {
        ByteOrder::Little => parse_enhancedpacketblock_le,
        ByteOrder::Big => parse_enhancedpacketblock_be,
    };
    let (_, packet) = parse(block).map_err(|_| Error::packet_is(number, "its block is corrupt"))?;
    must_be_whole(number, packet.caplen, packet.origlen)?;
    let interface = usize::try_from(packet.if_id).ok().and_then(|index| interfaces.get(index));
    let unknown = || format!("is of interface {}, which its section does not describe", packet.if_id);
    let interface = interface.ok_or_else(|| Error::packet_is(number, unknown()))?;
    let units = (u64::from(packet.ts_high) << 32) | u64::from(packet.ts_low);
    let at_ns = interface.at_ns(units).ok_or_else(|| Error::packet_is(number, "its instant is corrupt"))?;
    Ok(Record { number, at_ns, link_type: interface.link_type, frame: contents(&packet) })
}

/// The frame, without the padding.
fn contents<'a>(packet: &EnhancedPacketBlock<'a>) -> &'a [u8] {
    let bytes = packet.packet_data().len();
    &packet.data[..bytes]
}
