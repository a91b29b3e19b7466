//! Times of files, which a check does not keep.

use ::std::time::SystemTime;

/// Times to set, as `tokio::fs::FileTimes`: in a check, nothing keeps them.
#[derive(Clone, Debug, Default)]
#[must_use = "times are set by `File::set_times`"]
pub struct FileTimes {
    accessed: Option<SystemTime>,
    modified: Option<SystemTime>,
}

impl FileTimes {
    /// No times.
    pub fn new() -> Self {
        FileTimes::default()
    }

    /// With the time of the last access.
    pub fn set_accessed(mut self, time: SystemTime) -> Self {
        self.accessed = Some(time);
        self
    }

    /// With the time of the last change.
    pub fn set_modified(mut self, time: SystemTime) -> Self {
        self.modified = Some(time);
        self
    }

    pub(super) fn real(&self) -> ::std::fs::FileTimes {
        let times = ::std::fs::FileTimes::new();
        let times = self.accessed.map_or(times, |time| times.set_accessed(time));
        self.modified.map_or(times, |time| times.set_modified(time))
    }
}
