//! Calls on the ends of an mpsc.

use super::super::Record;
use super::super::record::{Place, Sequence, Value, any, pause};
use super::sync::mpsc;
use std::rc::Rc;

/// Defines the ends of a channel, and the calls that bounded and unbounded channels have in common.
macro_rules! ends {
    ($ends:ident: $sender:ident, $weak:ident, $receiver:ident) => {
        struct $ends {
            senders: Vec<Option<Rc<mpsc::$sender<Value>>>>,
            weak: Vec<Option<mpsc::$weak<Value>>>,
            receiver: Place<mpsc::$receiver<Value>>,
            /// The next value.
            next: u64,
        }

        impl $ends {
            fn new((sender, receiver): (mpsc::$sender<Value>, mpsc::$receiver<Value>)) -> Self {
                $ends { senders: vec![Some(Rc::new(sender))], weak: Vec::new(), receiver: Place::of(receiver), next: 0 }
            }

            fn value(&mut self) -> Value {
                self.next += 1;
                Value(self.next)
            }

            fn sender(&self, sequence: &mut Sequence) -> Option<Rc<mpsc::$sender<Value>>> {
                self.senders[any(&mut sequence.dice, &self.senders)?].clone()
            }

            fn step(&mut self, sequence: &mut Sequence) -> Option<()> {
                match sequence.dice.index(22) {
                    0 => {
                        let sender = self.sender(sequence)?;
                        self.senders.push(Some(Rc::new(mpsc::$sender::clone(&sender))));
                        sequence.end_step("clone", self.senders.len());
                    }
                    1 => {
                        let index = any(&mut sequence.dice, &self.senders)?;
                        self.senders[index] = None;
                        sequence.end_step("drop_sender", index);
                    }
                    2 => {
                        let weak = self.sender(sequence)?.downgrade();
                        self.weak.push(Some(weak.clone()));
                        sequence.end_step("downgrade", (weak.strong_count(), weak.weak_count()));
                    }
                    3 => {
                        let index = any(&mut sequence.dice, &self.weak)?;
                        let sender = self.weak[index].as_ref()?.upgrade();
                        sequence.end_step("upgrade", sender.is_some());
                        self.senders.push(sender.map(Rc::new));
                    }
                    4 => {
                        let index = any(&mut sequence.dice, &self.weak)?;
                        self.weak[index] = None;
                        sequence.end_step("drop_weak", index);
                    }
                    5..=8 => {
                        let mut receiver = self.receiver.lend()?;
                        sequence.start("recv", async move { receiver.recv().await });
                    }
                    9 | 10 => {
                        let mut receiver = self.receiver.lend()?;
                        let limit = sequence.dice.index(4);
                        sequence.start("recv_many", async move {
                            let mut buffer = Vec::new();
                            (receiver.recv_many(&mut buffer, limit).await, buffer)
                        });
                    }
                    11..=13 => {
                        let received = self.receiver.lend()?.try_recv();
                        sequence.end_step("try_recv", received);
                    }
                    14 if sequence.dice.one_in(3) => {
                        self.receiver.lend()?.close();
                        sequence.end_step("close", ());
                    }
                    15 if sequence.dice.one_in(4) => {
                        drop(self.receiver.take()?);
                        sequence.end_step("drop_receiver", ());
                    }
                    16 => {
                        let receiver = self.receiver.lend()?;
                        let counts = (receiver.len(), receiver.sender_strong_count(), receiver.sender_weak_count());
                        sequence.end_step("receiver", (receiver.is_closed(), receiver.is_empty(), counts));
                    }
                    17 => {
                        let sender = self.sender(sequence)?;
                        let other = self.sender(sequence)?;
                        let counts = (sender.strong_count(), sender.weak_count(), sender.same_channel(&other));
                        sequence.end_step("sender", (sender.is_closed(), counts));
                    }
                    18 => {
                        let sender = self.sender(sequence)?;
                        sequence.start("closed", async move { sender.closed().await });
                    }
                    _ => sequence.go_on(),
                }
                Some(())
            }
        }
    };
}

ends! { Bounded: Sender, WeakSender, Receiver }
ends! { Unbounded: UnboundedSender, WeakUnboundedSender, UnboundedReceiver }

pub(crate) fn unbounded(seed: u64, steps: usize) -> Record {
    let mut sequence = Sequence::new(seed, false);
    let mut ends = Unbounded::new(mpsc::unbounded_channel());
    for _ in 0..steps {
        if sequence.dice.one_in(4) {
            let Some(sender) = ends.sender(&mut sequence) else { continue };
            let sent = sender.send(ends.value());
            drop(sender);
            sequence.end_step("send", sent);
        } else {
            ends.step(&mut sequence);
        }
    }
    sequence.end(ends)
}

pub(crate) fn bounded(seed: u64, steps: usize) -> Record {
    let mut sequence = Sequence::new(seed, false);
    let mut ends = Bounded::new(mpsc::channel(1 + sequence.dice.index(3)));
    for _ in 0..steps {
        if sequence.dice.one_in(2) {
            ends.send(&mut sequence)
        } else {
            ends.step(&mut sequence)
        };
    }
    sequence.end(ends)
}

impl Bounded {
    /// The calls that unbounded channels don't have.
    fn send(&mut self, sequence: &mut Sequence) -> Option<()> {
        let sender = self.sender(sequence)?;
        let value = self.value();
        let (n, used) = (sequence.dice.index(5), sequence.dice.index(4));
        match sequence.dice.index(14) {
            0..=3 => sequence.start("send", async move { sender.send(value).await }),
            4 | 5 => {
                let sent = sender.try_send(value);
                sequence.end_step("try_send", sent);
            }
            6 => sequence.start("reserve", async move {
                let permit = sender.reserve().await.map_err(|error| format!("{error:?}"))?;
                pause().await;
                if used > 0 {
                    permit.send(value);
                }
                Ok::<_, String>(())
            }),
            7 | 8 => sequence.start("reserve_many", async move {
                let permits = sender.reserve_many(n).await.map_err(|error| format!("{error:?}"))?;
                pause().await;
                let reserved = permits.len();
                permits.take(used).for_each(|permit| permit.send(value.clone()));
                Ok::<_, String>(reserved)
            }),
            9 => {
                let sender = mpsc::Sender::clone(&sender);
                sequence.start("reserve_owned", async move {
                    let permit = sender.reserve_owned().await.map_err(|error| format!("{error:?}"))?;
                    pause().await;
                    let sender = match used {
                        0 => return Ok(None),
                        1 => permit.release(),
                        _ => permit.send(value),
                    };
                    Ok::<_, String>(Some(sender.capacity()))
                });
            }
            10 => {
                let reserved = sender.try_reserve().map(|permit| {
                    if used > 0 {
                        permit.send(value)
                    }
                });
                let reserved = format!("{reserved:?}");
                sequence.end_step("try_reserve", reserved);
            }
            11 => {
                let reserved = sender.try_reserve_many(n).map(|permits| {
                    let size = permits.size_hint();
                    permits.take(used).for_each(|permit| permit.send(value.clone()));
                    size
                });
                sequence.end_step("try_reserve_many", reserved);
            }
            12 => {
                let reserved = mpsc::Sender::clone(&sender).try_reserve_owned().map(|permit| match used {
                    0 => None,
                    1 => Some(permit.release().strong_count()),
                    _ => Some(permit.send(value).strong_count()),
                });
                let reserved = reserved.map_err(|error| error.to_string());
                sequence.end_step("try_reserve_owned", reserved);
            }
            _ => {
                let receiver = self.receiver.lend().map(|receiver| (receiver.capacity(), receiver.max_capacity()));
                sequence.end_step("capacity", (sender.capacity(), sender.max_capacity(), receiver));
            }
        }
        Some(())
    }
}
