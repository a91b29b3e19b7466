//! The store that all connections share.
#![expect(clippy::disallowed_types, reason = "nobody iterates over these maps")]

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tokio::sync::broadcast;
use tokio::task::AbortHandle;
use tokio::time::sleep;

/// Messages that wait for a slow subscriber.
const BACKLOG: usize = 4;

#[derive(Clone, Default)]
pub(crate) struct Store(Arc<Mutex<Contents>>);

#[derive(Default)]
struct Contents {
    values: HashMap<String, Entry>,
    channels: HashMap<String, broadcast::Sender<String>>,
}

struct Entry {
    value: String,
    /// The task that will remove it.
    expiry: Option<AbortHandle>,
}

/// Who replaces or removes a value does not want what comes then to expire with it.
impl Drop for Entry {
    fn drop(&mut self) {
        if let Some(expiry) = &self.expiry {
            expiry.abort();
        }
    }
}

impl Store {
    fn lock(&self) -> MutexGuard<'_, Contents> {
        self.0.lock().expect("no panic with the lock")
    }

    pub(crate) fn set(&self, key: &str, value: &str) {
        self.lock().values.insert(key.to_owned(), Entry { value: value.to_owned(), expiry: None });
    }

    pub(crate) fn get(&self, key: &str) -> Option<String> {
        self.lock().values.get(key).map(|entry| entry.value.clone())
    }

    /// Whether there was a value.
    pub(crate) fn remove(&self, key: &str) -> bool {
        self.lock().values.remove(key).is_some()
    }

    /// Whether there is a value, which will be removed.
    pub(crate) fn expire(&self, key: &str, after: Duration) -> bool {
        let mut contents = self.lock();
        let Some(entry) = contents.values.get_mut(key) else { return false };
        let (store, key) = (self.clone(), key.to_owned());
        let expiry = tokio::spawn(async move {
            sleep(after).await;
            store.remove(&key);
        });
        if let Some(earlier) = entry.expiry.replace(expiry.abort_handle()) {
            earlier.abort();
        }
        true
    }

    pub(crate) fn subscribe(&self, channel: &str) -> broadcast::Receiver<String> {
        let mut contents = self.lock();
        contents.channels.entry(channel.to_owned()).or_insert_with(|| broadcast::channel(BACKLOG).0).subscribe()
    }

    /// To how many a message goes.
    pub(crate) fn publish(&self, channel: &str, message: &str) -> usize {
        let contents = self.lock();
        contents.channels.get(channel).map_or(0, |sender| sender.send(message.to_owned()).unwrap_or(0))
    }
}
