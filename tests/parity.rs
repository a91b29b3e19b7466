//! Parity with tokio, compiled and run: the cases under `parity/` are compiled twice, against
//! tokio and against netcheck, and run on real loopback sockets and inside a check.
//!
//! A case is an async fn that returns what it observed. Where tokio and the OS leave no
//! choice ([`same`]), every execution of the check ends with the value that tokio gives.
//! Where they do ([`among`]), tokio's value is one of the check's. What is known to differ
//! ([`differs`]) is listed with both values, so that it is mended knowingly. A case that the
//! machine has no means for gives `None` there, and is left out.
#![allow(clippy::duplicate_mod, reason = "to be compiled against both is what the cases are for")]

#[path = "parity/checked.rs"]
mod checked;
#[path = "parity/real.rs"]
mod real;

use netcheck::check::{Checker, Verdict};
use std::fmt::Debug;
use std::future::Future;

/// What a case gives on tokio, and every value that it ends with in a check.
fn both<R, C>(real: impl Fn() -> R, checked: impl Fn() -> C + Copy + Send + Sync + 'static) -> (String, Vec<String>)
where
    R: Future<Output: Debug>,
    C: Future<Output: Debug + 'static> + 'static,
{
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let seen = format!("{:?}", runtime.block_on(real()));
    let report = Checker::new().check(|net| {
        net.process("it", checked);
    });
    assert_eq!(report.verdict(), Verdict::Verified, "tokio gives {seen}, the check says {report}");
    (seen, report.outputs("it").to_vec())
}

/// Whether the machine has no means for a case.
fn is_left_out(seen: &str) -> bool {
    seen == "None"
}

fn same(seen: String, outputs: Vec<String>) {
    if is_left_out(&seen) {
        return;
    }
    assert_eq!(outputs, [seen], "every execution of the check (left) gives what tokio gives (right)");
}

fn among(seen: String, outputs: Vec<String>) {
    assert!(outputs.len() > 1, "there is a choice, but the check gives only {outputs:?}");
    assert!(outputs.contains(&seen), "tokio gives {seen}, and the check explores only {outputs:?}");
}

fn differs((seen, outputs): (String, Vec<String>), tokio: &str, netcheck: &str) {
    if is_left_out(&seen) {
        return;
    }
    assert_eq!(seen, tokio, "tokio on this OS gives (left) what it is said to give (right)");
    assert_ne!(outputs, [seen], "the check gives what tokio gives: the case belongs to `equal` now");
    assert_eq!(outputs, [netcheck], "the check gives (left) what it is said to give (right)");
}

macro_rules! parity {
    ($judge:ident: $($area:ident { $($case:ident,)* })*) => { $(
        mod $area {
            $(
                #[test]
                fn $case() {
                    let (seen, outputs) = super::super::both(
                        super::super::real::$area::$case,
                        super::super::checked::$area::$case,
                    );
                    super::super::$judge(seen, outputs);
                }
            )*
        }
    )* };
}

mod equal {
    parity! { same:
        udp {
            a_broadcast_needs_permission,
            a_connected_socket_can_be_connected_anew,
            a_connected_socket_can_send_to_others,
            a_connected_socket_ignores_datagrams_of_others,
            a_datagram_arrives_with_the_address_of_its_sender,
            a_datagram_has_at_most_65507_bytes,
            a_datagram_longer_than_the_buffer_is_cut_off,
            a_datagram_to_an_unbound_port_is_dropped,
            a_destination_of_the_other_family_is_refused,
            a_dropped_receive_loses_nothing,
            a_foreign_address_can_not_be_bound,
            a_peeked_datagram_is_received_next,
            a_readable_socket_has_a_datagram,
            a_socket_can_send_to_itself,
            a_socket_of_ip_version_6_reads_its_own_family,
            a_socket_on_all_addresses_has_one_source_on_loopback,
            a_socket_on_all_addresses_sends_from_loopback_to_loopback,
            a_taken_port_is_an_address_in_use,
            a_writable_socket_takes_datagrams,
            an_address_that_is_none_is_an_invalid_input,
            an_empty_buffer_takes_a_datagram,
            an_empty_datagram_is_a_datagram,
            closing_frees_the_port_and_its_datagrams,
            connect_chooses_the_local_address,
            datagrams_of_one_sender_arrive_in_order,
            ephemeral_ports_differ,
            localhost_is_the_process_itself,
            nothing_can_be_sent_to_port_zero,
            peek_cuts_off_and_keeps_the_whole,
            recv_buf_appends,
            recv_buf_cuts_off_at_the_capacity,
            recv_buf_from_tells_the_sender,
            send_without_connect_has_no_destination,
            sockets_can_be_polled,
            the_debug_text_of_a_socket_names_its_type,
            the_errors_of_bind_have_the_numbers_of_the_os,
            the_permission_to_broadcast_is_remembered,
            the_unspecified_destination_is_loopback,
            try_peek_leaves_the_datagram,
            try_recv_would_block_when_nothing_was_sent,
            two_connected_sockets_talk,
            two_tasks_share_a_socket,
            what_came_before_connect_is_still_received,
        }
        time {
            a_burst_catches_up,
            a_delay_counts_from_the_late_tick,
            a_guard_reads_the_clock_when_it_is_dropped,
            a_ready_future_is_in_time_even_without_time,
            a_skip_stays_on_the_beat,
            a_sleep_can_be_reset,
            a_sleep_takes_at_least_its_time,
            a_timeout_elapses,
            a_timeout_waits_no_longer_than_its_future,
            an_interval_can_be_reset,
            an_interval_ticks_at_once_and_then_after_each_period,
            instants_are_ordered_and_can_be_reckoned_with,
            interval_at_begins_later,
            sleeps_end_in_the_order_of_their_deadlines,
            timeout_at_takes_a_point_in_time,
        }
        task {
            a_biased_select_takes_the_first_ready_branch,
            a_blocking_closure_gives_its_output,
            a_join_set_gives_outputs_in_the_order_of_their_ends,
            a_join_set_is_aborted_as_a_whole,
            a_select_keeps_the_futures_that_lost,
            a_task_gives_its_output,
            a_task_goes_on_without_its_handle,
            abort_comes_too_late_for_an_ended_task,
            abort_drops_what_the_task_holds,
            an_aborted_task_is_cancelled,
            join_waits_for_all,
            local_tasks_share_what_is_not_send,
            pinned_futures_can_be_polled_again,
            try_join_stops_at_the_first_error,
            unordered_futures_end_by_their_own_wakers,
        }
        sync {
            a_barrier_lets_one_lead,
            a_bounded_channel_is_full_and_closes,
            a_broadcast_reaches_every_subscriber,
            a_cell_is_initialized_once,
            a_lock_has_one_writer_or_many_readers,
            a_mutex_excludes,
            a_notification_is_kept_for_one_waiter,
            a_oneshot_carries_one_value,
            a_semaphore_gives_what_it_has,
            a_watch_shows_the_latest_value,
            an_unbounded_channel_ends_with_its_senders,
        }
        io {
            a_buffered_writer_reads_through,
            a_buffered_writer_writes_when_it_is_flushed,
            bytes_are_copied_both_ways,
            lines_are_read_from_a_half,
        }
    }
}

mod one_of_several {
    parity! { among:
        udp {
            datagrams_of_two_senders_arrive_in_some_order,
            try_recv_may_get_what_was_sent,
        }
        task {
            a_select_takes_any_ready_branch,
            tasks_take_turns,
        }
        sync {
            the_first_of_two_senders_may_be_either,
        }
    }
}

/// Where netcheck does not do as the OS does.
mod different {
    macro_rules! different {
        ($($area:ident::$case:ident: $tokio:literal, not $netcheck:literal;)*) => { $(
            #[test]
            fn $case() {
                let both = super::both(super::real::$area::$case, super::checked::$area::$case);
                super::differs(both, $tokio, $netcheck);
            }
        )* };
    }

    different! {
        udp::a_connected_peer_that_is_gone_refuses: "[Ok(5), Err(ConnectionRefused)]", not "[Ok(5), Ok(0)]";
        udp::all_addresses_of_version_6_are_all_of_version_4_too: "Some((AddrInUse, false))", not "Some((Other, true))";
    }
}

/// The items of tokio that networked programs use most, as far as netcheck has them.
const ITEMS: [(&str, &[&str]); 5] = [
    (
        include_str!("parity/io.rs"),
        &["BufWriter::new", "read_buf", "flush", "write_all", "write_u8", "copy_bidirectional"],
    ),
    (
        include_str!("parity/udp.rs"),
        &["bind", "connect", "local_addr", "peer_addr", "recv", "recv_from", "send", "send_to", "lookup_host"],
    ),
    (include_str!("parity/task.rs"), &["tokio::spawn", "abort", "join_next", "select!", "join!", "try_join!"]),
    (
        include_str!("parity/sync.rs"),
        &[
            "Mutex::new",
            "lock",
            "Notify::new",
            "notified",
            "notify_one",
            "RwLock::new",
            "write",
            "acquire_owned",
            "Semaphore::new",
            "broadcast::channel",
            "subscribe",
            "mpsc::channel",
            "try_send",
            "mpsc::unbounded_channel",
            "oneshot::channel",
            "into",
            "watch::channel",
            "borrow",
            "wait_for",
            "clone",
        ],
    ),
    (
        include_str!("parity/time.rs"),
        &[
            "Instant::now",
            "elapsed",
            "duration_since",
            "tick",
            "interval",
            "sleep",
            "sleep_until",
            "timeout",
            "timeout_at",
        ],
    ),
];

#[test]
fn every_item_that_programs_use_has_a_case() {
    for (cases, items) in ITEMS {
        for item in items {
            assert!(
                cases.contains(&format!("{item}("))
                    || cases.contains(&format!("{item};"))
                    || item.ends_with('!') && cases.contains(item),
                "no case uses `{item}`"
            );
        }
    }
}
