//! Effects of the network, time and tasks on programs: all that may happen happens in some execution, and nothing else.

mod checked;
mod clocks;
mod connects;
mod counting;
mod crash;
mod crash_files;
mod deliveries;
mod dense;
mod dense_streams;
mod described;
mod failing_files;
mod file_monitors;
mod files;
mod helpless;
mod histories;
mod histories_random;
mod horizon;
mod in_order;
mod liveness;
mod marks;
mod monitors;
mod multicast;
mod partitions;
mod readiness;
mod regions;
mod retries;
mod select;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod std_datagrams;
mod std_files;
#[cfg(target_os = "linux")]
mod std_listeners;
mod tasks;
mod tcp;
mod time;
mod tracked;
mod transient;
mod turns;
mod udp;
mod unix;
mod unix_random;
mod unread;
mod verdicts;
mod wakers;
