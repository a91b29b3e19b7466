//! Calls of tests at connections.

use super::connection::{Connection, Read, Side};

/// All that an end reads until it waits, or comes to the end.
pub(super) fn all_read(connection: &Connection, side: Side) -> Vec<Read> {
    let mut connection = connection.clone();
    let mut all = Vec::new();
    while let Some((read, after)) = connection.read(side, 8, false).into_iter().next() {
        all.push(read);
        if all.last() == Some(&Read::End) {
            break;
        }
        connection = after;
    }
    all
}
