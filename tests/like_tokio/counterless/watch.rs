//! Calls on the ends of a watched value.

use super::super::Record;
use super::super::record::{Place, Sequence, Value, any};
use super::sync::watch;
use std::rc::Rc;

struct Ends {
    senders: Vec<Option<Rc<watch::Sender<Value>>>>,
    receivers: Vec<Place<watch::Receiver<Value>>>,
    /// The next value.
    next: u64,
}

pub(crate) fn watch(seed: u64, steps: usize) -> Record {
    let mut sequence = Sequence::new(seed, true);
    let (sender, receiver) = watch::channel(Value(0));
    let mut ends = Ends { senders: vec![Some(Rc::new(sender))], receivers: vec![Place::of(receiver)], next: 0 };
    for _ in 0..steps {
        if sequence.dice.one_in(3) {
            ends.send(&mut sequence)
        } else {
            ends.receive(&mut sequence)
        };
    }
    sequence.end(ends)
}

impl Ends {
    fn sender(&self, sequence: &mut Sequence) -> Option<Rc<watch::Sender<Value>>> {
        self.senders[any(&mut sequence.dice, &self.senders)?].clone()
    }

    fn receiver(&self, sequence: &mut Sequence) -> &Place<watch::Receiver<Value>> {
        &self.receivers[sequence.dice.index(self.receivers.len())]
    }

    fn send(&mut self, sequence: &mut Sequence) -> Option<()> {
        let sender = self.sender(sequence)?;
        self.next += 1;
        let value = self.next;
        match sequence.dice.index(13) {
            0..=2 => {
                let sent = sender.send(Value(value)).map_err(|error| error.0);
                sequence.end_step("send", sent);
            }
            3 => {
                let old = sender.send_replace(Value(value));
                sequence.end_step("send_replace", old);
            }
            4 => {
                sender.send_modify(|it| it.0 = value);
                sequence.end_step("send_modify", ());
            }
            5 => {
                let is_modified = sequence.dice.one_in(2);
                let modified = sender.send_if_modified(|it| {
                    it.0 = value;
                    is_modified
                });
                sequence.end_step("send_if_modified", modified);
            }
            6 => {
                let seen = sender.borrow();
                sequence.end_step("sender_borrow", (&*seen, seen.has_changed()));
            }
            7 => {
                let counts = (sender.receiver_count(), sender.sender_count());
                sequence.end_step("sender", (sender.is_closed(), counts));
            }
            8 => sequence.start("closed", async move { sender.closed().await }),
            9 => {
                self.receivers.push(Place::of(sender.subscribe()));
                sequence.end_step("subscribe", self.receivers.len());
            }
            10 => {
                self.senders.push(Some(Rc::new(watch::Sender::clone(&sender))));
                sequence.end_step("clone_sender", self.senders.len());
            }
            11 => {
                let index = any(&mut sequence.dice, &self.senders)?;
                drop(sender);
                self.senders[index] = None;
                sequence.end_step("drop_sender", index);
            }
            _ => sequence.go_on(),
        }
        Some(())
    }

    fn receive(&mut self, sequence: &mut Sequence) -> Option<()> {
        let choice = sequence.dice.index(24);
        if choice >= 15 {
            sequence.go_on();
            return Some(());
        }
        let place = self.receiver(sequence);
        if choice == 14 {
            drop(place.take()?);
            sequence.end_step("drop_receiver", ());
            return Some(());
        }
        let mut receiver = place.lend()?;
        match choice {
            0 | 1 => {
                let seen = receiver.borrow();
                sequence.end_step("borrow", (&*seen, seen.has_changed()));
            }
            2 | 3 => {
                let seen = receiver.borrow_and_update();
                sequence.end_step("borrow_and_update", (&*seen, seen.has_changed()));
            }
            4 | 5 => sequence.end_step("has_changed", receiver.has_changed().map_err(|error| error.to_string())),
            6 => {
                receiver.mark_changed();
                sequence.end_step("mark_changed", ());
            }
            7 => {
                receiver.mark_unchanged();
                sequence.end_step("mark_unchanged", ());
            }
            8..=10 => {
                sequence.start("changed", async move { receiver.changed().await.map_err(|error| error.to_string()) })
            }
            11 | 12 => {
                let least = self.next + sequence.dice.index(3) as u64;
                sequence.start("wait_for", async move {
                    let seen = receiver.wait_for(|value| value.0 >= least).await;
                    seen.map(|seen| (seen.0, seen.has_changed())).map_err(|error| error.to_string())
                });
            }
            _ => {
                let clone = watch::Receiver::clone(&receiver);
                drop(receiver);
                self.receivers.push(Place::of(clone));
                sequence.end_step("clone_receiver", self.receivers.len());
            }
        }
        Some(())
    }
}
