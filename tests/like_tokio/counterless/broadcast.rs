//! Calls on the ends of a broadcast.

use super::super::Record;
use super::super::record::{Place, Sequence, Value, any};
use super::sync::broadcast;
use std::rc::Rc;

struct Ends {
    senders: Vec<Option<Rc<broadcast::Sender<Value>>>>,
    weak: Vec<Option<broadcast::WeakSender<Value>>>,
    receivers: Vec<Place<broadcast::Receiver<Value>>>,
    /// The next value.
    next: u64,
}

pub(crate) fn broadcast(seed: u64, steps: usize) -> Record {
    let mut sequence = Sequence::new(seed, false);
    let capacity = 1 + sequence.dice.index(5);
    let mut ends = Ends { senders: Vec::new(), weak: Vec::new(), receivers: Vec::new(), next: 0 };
    if sequence.dice.one_in(4) {
        ends.senders.push(Some(Rc::new(broadcast::Sender::new(capacity))));
    } else {
        let (sender, receiver) = broadcast::channel(capacity);
        ends.senders.push(Some(Rc::new(sender)));
        ends.receivers.push(Place::of(receiver));
    }
    for _ in 0..steps {
        ends.step(&mut sequence);
    }
    sequence.end(ends)
}

impl Ends {
    fn sender(&self, sequence: &mut Sequence) -> Option<Rc<broadcast::Sender<Value>>> {
        self.senders[any(&mut sequence.dice, &self.senders)?].clone()
    }

    fn receiver(&self, sequence: &mut Sequence) -> Option<&Place<broadcast::Receiver<Value>>> {
        let count = self.receivers.len();
        (count > 0).then(|| &self.receivers[sequence.dice.index(count)])
    }

    fn step(&mut self, sequence: &mut Sequence) -> Option<()> {
        match sequence.dice.index(30) {
            0..=5 => {
                let sender = self.sender(sequence)?;
                self.next += 1;
                let sent = sender.send(Value(self.next));
                sequence.end_step("send", sent);
            }
            6 | 7 => {
                let receiver = self.sender(sequence)?.subscribe();
                self.receivers.push(Place::of(receiver));
                sequence.end_step("subscribe", self.receivers.len());
            }
            8 => {
                let receiver = self.receiver(sequence)?.lend()?.resubscribe();
                self.receivers.push(Place::of(receiver));
                sequence.end_step("resubscribe", self.receivers.len());
            }
            9..=12 => {
                let mut receiver = self.receiver(sequence)?.lend()?;
                sequence.start("recv", async move { receiver.recv().await });
            }
            13..=16 => {
                let received = self.receiver(sequence)?.lend()?.try_recv();
                sequence.end_step("try_recv", received);
            }
            17 => {
                drop(self.receiver(sequence)?.take()?);
                sequence.end_step("drop_receiver", ());
            }
            18 => {
                let receiver = self.receiver(sequence)?.lend()?;
                let counts = (receiver.len(), receiver.sender_strong_count(), receiver.sender_weak_count());
                sequence.end_step("receiver", (receiver.is_empty(), receiver.is_closed(), counts));
            }
            19 => {
                let sender = self.sender(sequence)?;
                let counts = (sender.len(), sender.receiver_count(), sender.strong_count(), sender.weak_count());
                sequence.end_step("sender", (sender.is_empty(), counts));
            }
            20 => {
                let sender = self.sender(sequence)?;
                self.senders.push(Some(Rc::new(broadcast::Sender::clone(&sender))));
                sequence.end_step("clone", self.senders.len());
            }
            21 => {
                let index = any(&mut sequence.dice, &self.senders)?;
                self.senders[index] = None;
                sequence.end_step("drop_sender", index);
            }
            22 => {
                let weak = self.sender(sequence)?.downgrade();
                self.weak.push(Some(weak.clone()));
                sequence.end_step("downgrade", (weak.strong_count(), weak.weak_count()));
            }
            23 => {
                let index = any(&mut sequence.dice, &self.weak)?;
                let sender = self.weak[index].as_ref()?.upgrade();
                sequence.end_step("upgrade", sender.is_some());
                self.senders.push(sender.map(Rc::new));
            }
            24 => {
                let index = any(&mut sequence.dice, &self.weak)?;
                self.weak[index] = None;
                sequence.end_step("drop_weak", index);
            }
            25 => {
                let sender = self.sender(sequence)?;
                sequence.start("closed", async move { sender.closed().await });
            }
            _ => sequence.go_on(),
        }
        Some(())
    }
}
