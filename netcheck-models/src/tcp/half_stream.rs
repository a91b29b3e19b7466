//! A half-stream: the bytes from one end of a connection to the other.

use super::segment::Segment;

/// The bytes that one end has written and the other has not read yet.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct HalfStream {
    /// The bytes that the reader can read.
    bytes: Vec<u8>,
    /// Where the bytes of each write end, if that is kept.
    ends: Vec<usize>,
    /// The writer has shut down or closed: the end of the stream follows the bytes.
    pub(super) is_finished: bool,
    /// How many of the bytes have come for sure: time has passed since.
    certain: usize,
    /// The end of the stream has come for sure: a read has returned it, or time has passed since.
    pub(super) is_end_certain: bool,
    /// The end of the stream never comes to the reader, whose host knows nothing of the connection any more.
    pub(super) is_end_lost: bool,
    /// The connection was reset in flight: the remaining bytes may arrive, or never.
    pub(super) may_be_lost: bool,
    /// Where packets take time, or wait for a cut to heal: the segments that have not arrived yet, in the order in which they
    /// arrive.
    pub(super) under_way: Vec<Segment>,
    /// Nothing comes through: what is sent waits.
    pub(super) is_cut: bool,
    /// How many of the last segments under way have no delay yet.
    pub(super) undecided: usize,
    /// Where packets take time: bytes that came to an end that reads no more. They are never acknowledged, so that they
    /// take up room.
    dropped: usize,
    /// The reader's driver knows of the bytes: time has passed since the first of them came, or the last read has filled its
    /// buffer and left them.
    pub(super) is_known: bool,
    /// It knows of what follows the bytes, the end of the stream or an error: time has passed since.
    pub(super) is_end_known: bool,
}

impl HalfStream {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How many bytes the writer may write: all that was written and not read takes up room, wherever it is.
    pub(super) fn room(&self, capacity: usize) -> usize {
        let under_way: usize = self.under_way.iter().map(Segment::len).sum();
        capacity.saturating_sub(self.bytes.len() + under_way + self.dropped)
    }

    /// Whether the end of the stream has come to the reader, behind the bytes.
    pub(super) fn has_ended(&self) -> bool {
        let ends = |segment: &Segment| matches!(segment, Segment::End | Segment::Broken { ends: true });
        self.is_finished && !self.is_end_lost && !self.under_way.iter().any(ends)
    }

    /// Appends the bytes of a write; `keeps`: it is kept which these are.
    pub(super) fn append(&mut self, bytes: &[u8], keeps: bool) {
        self.bytes.extend_from_slice(bytes);
        self.ends.extend(keeps.then_some(self.bytes.len()));
    }

    pub(super) fn take(&mut self, count: usize) {
        self.bytes.drain(..count);
        self.certain = self.certain.saturating_sub(count);
        self.ends.retain(|end| *end > count);
        self.ends.iter_mut().for_each(|end| *end -= count);
        self.may_be_lost &= !self.bytes.is_empty();
    }

    /// Drops the remaining bytes; whatever follows them stays.
    pub(super) fn discard(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.certain = 0;
        (self.may_be_lost, self.is_known, self.is_end_known) = (false, false, false);
    }

    /// The half-stream when of the bytes and of the end of the stream any last ones are lost: by whole writes, or with
    /// `split` by bytes. Nothing lost comes first.
    pub(super) fn without_last(&self, split: bool) -> Vec<HalfStream> {
        let first = |count: usize| {
            let mut first = HalfStream { is_finished: false, is_end_known: false, ..self.clone() };
            first.bytes.truncate(count);
            first.certain = first.certain.min(count);
            first.ends.retain(|end| *end <= count);
            first.is_known &= count > 0;
            first
        };
        let is_end = |count: &usize| split || *count == 0 || self.ends.contains(count);
        let shorter = (0..=self.bytes.len()).rev().filter(is_end).map(first);
        let mut all = vec![self.clone()];
        all.extend(shorter.filter(|shorter| shorter != self));
        all
    }

    /// The half-stream when what waits for a cut to heal is lost.
    pub(super) fn without_waiting(&self) -> HalfStream {
        let mut left = self.clone();
        left.is_finished = self.has_ended();
        left.clear();
        left
    }

    /// All that was sent to a host without power waits for a cut to heal, with the end of the stream if that was sent there, too.
    pub(super) fn wait_again(&mut self, ends: bool) {
        let waiting = std::mem::take(&mut self.under_way);
        self.hold_up(0, None);
        self.under_way.extend(waiting);
        self.under_way.extend(ends.then_some(Segment::End));
    }

    /// Drops bytes that come to an end that reads no more.
    pub(super) fn drop_bytes(&mut self, count: usize) {
        self.dropped += count;
    }

    /// Drops all that has come and is under way: the reader has reset the connection.
    pub(super) fn drop_all(&mut self) {
        self.dropped += self.bytes.len() + self.under_way.iter().map(Segment::len).sum::<usize>();
        self.discard();
        self.clear();
    }

    /// Drops what is under way.
    pub(super) fn clear(&mut self) {
        self.under_way.clear();
        self.undecided = 0;
    }

    pub(super) fn push(&mut self, segment: Segment) {
        self.under_way.push(segment);
        self.undecided += 1;
    }

    /// A segment waits for a cut to heal.
    pub(super) fn queue(&mut self, segment: Segment) {
        self.under_way.push(segment);
    }

    /// The bytes after so many wait from now on, as if they had not come, with the end of the stream or the reset behind them.
    pub(super) fn hold_up(&mut self, from: usize, last: Option<Segment>) {
        let rest = self.bytes.split_off(from);
        let (earlier, later): (Vec<usize>, Vec<usize>) = self.ends.iter().partition(|&&end| end <= from);
        self.ends = earlier;
        let mut begun = from;
        for end in later {
            self.under_way.push(Segment::Bytes(rest[begun - from..end - from].to_vec()));
            begun = end;
        }
        if begun - from < rest.len() {
            self.under_way.push(Segment::Bytes(rest[begun - from..].to_vec()));
        }
        self.under_way.extend(last);
    }

    /// Up to where the bytes may have come when a cut is made: by whole writes, or with `split` by bytes; all of them first.
    pub(super) fn borders(&self, split: bool) -> Vec<usize> {
        let is_border = |count: &usize| split || *count == 0 || *count == self.bytes.len() || self.ends.contains(count);
        (self.certain..=self.bytes.len()).rev().filter(is_border).collect()
    }

    /// Time passes: all that is there has come.
    pub(super) fn all_has_come(&mut self) {
        self.certain = self.bytes.len();
        self.is_end_certain |= self.has_ended();
    }

    /// Nobody depends on what is known to have come.
    pub(super) fn forget_certain(&mut self) {
        (self.certain, self.is_end_certain) = (0, false);
    }

    /// The writer's host sends nothing again that has not come.
    pub(super) fn give_up(&mut self) {
        self.is_finished &= !self.under_way.contains(&Segment::End);
        self.clear();
    }

    pub(super) fn pop(&mut self) -> Option<Segment> {
        let segment = (!self.under_way.is_empty()).then(|| self.under_way.remove(0))?;
        self.undecided = self.undecided.min(self.under_way.len());
        Some(segment)
    }

    /// The beginnings of what is under way that may arrive when a reset overtakes the rest: by whole segments, or with
    /// `split` by bytes. The whole comes first.
    pub(super) fn beginnings(&self, split: bool) -> Vec<HalfStream> {
        let fixed = self.under_way.iter().take_while(|segment| matches!(segment, Segment::Opened)).count();
        let mut beginnings = Vec::new();
        for count in (fixed..=self.under_way.len()).rev() {
            beginnings.push(self.first(count));
            let Some(Segment::Bytes(bytes)) = self.under_way.get(count.wrapping_sub(1)).filter(|_| split) else {
                continue;
            };
            for length in (1..bytes.len()).rev() {
                let mut shorter = self.first(count);
                shorter.under_way[count - 1] = Segment::Bytes(bytes[..length].to_vec());
                beginnings.push(shorter);
            }
        }
        beginnings
    }

    /// The first segments under way.
    fn first(&self, count: usize) -> HalfStream {
        let mut first = self.clone();
        let lost = first.under_way.split_off(count);
        first.is_finished &= !lost.contains(&Segment::End);
        first.undecided = self.undecided.saturating_sub(self.under_way.len() - count);
        first
    }
}
