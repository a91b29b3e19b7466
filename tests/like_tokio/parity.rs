//! Parity with tokio, compiled and run: the cases under `parity/` are compiled twice, against
//! tokio and against netcheck, and run on real loopback sockets and inside a check. Those of
//! memory that tasks share are compiled a third time, against `netcheck::tracked`.
//!
//! A case is an async fn that returns what it observed. Where tokio and the OS leave no
//! choice ([`same`]), every execution of the check ends with the value that tokio gives.
//! Where they do ([`among`]), tokio's value is one of the check's. What is known to differ
//! ([`differs`]) is listed with both values, so that it is mended knowingly. A case that the
//! machine has no means for gives `None` there, and is left out.
#![allow(clippy::duplicate_mod, reason = "to be compiled against both is what the cases are for")]

mod checked;
mod real;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod system;
mod tracked;

use netcheck::check::{Checker, Verdict};
use std::fmt;
use std::future::Future;
use std::pin::Pin;

/// A case, made anew for each run. Its type is the same for all, so that checks are compiled once.
type Case = fn() -> Pin<Box<dyn Future<Output = Observed>>>;

/// The text of what a case observed.
struct Observed(String);

impl fmt::Debug for Observed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn observe<R: fmt::Debug>(case: impl Future<Output = R> + 'static) -> Pin<Box<dyn Future<Output = Observed>>> {
    Box::pin(async { Observed(format!("{:?}", case.await)) })
}

/// The output of a case on tokio, and every value that it ends with in a check.
fn both(real: Case, checked: Case) -> (String, Vec<String>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let Observed(seen) = runtime.block_on(real());
    let report = Checker::new().check(|net| {
        net.process("it", checked);
    });
    assert_eq!(report.verdict(), Verdict::Verified, "tokio gives {seen}, the check says {report}");
    (seen, report.outputs("it").to_vec())
}

/// Whether the machine has no means for a case.
fn is_left_out(seen: &str) -> bool {
    let is_left_out = seen == "None";
    if is_left_out {
        println!("left out: this machine has no means for it");
    }
    is_left_out
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
    ($judge:ident $checked:ident: $($area:ident { $($case:ident,)* })*) => { $(
        mod $area {
            $(
                #[test]
                fn $case() {
                    let (seen, outputs) = crate::parity::both(
                        || crate::parity::observe(crate::parity::real::$area::$case()),
                        || crate::parity::observe(crate::parity::$checked::$area::$case()),
                    );
                    crate::parity::$judge(seen, outputs);
                }
            )*
        }
    )* };
}

/// Files by `std::fs` as it is.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod by_the_system {
    parity! { same system:
        files {
            a_call_waits_for_the_write_that_is_under_way,
            a_directory_is_read_in_chunks,
            a_failed_write_is_told_at_the_next_one,
            a_failed_write_is_told_by_a_flush,
            a_seek_waits_for_a_write_and_goes_back_over_what_was_read,
            copies_have_the_bytes_and_the_permissions,
            files_are_shared_by_clones,
            random_calls_of_std,
            random_calls_of_tokio,
            the_facts_about_files_are_those_of_linux,
            trees_are_made_and_removed,
            writes_are_in_vectors,
        }
    }
}

/// As [`by_the_system`].
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod one_of_several_by_the_system {
    parity! { among system:
        files {
            a_file_that_is_dropped_may_be_read_before_its_write,
            the_length_may_be_told_before_a_write,
        }
    }
}

mod equal {
    parity! { same checked:
        files {
            a_call_waits_for_the_write_that_is_under_way,
            a_failed_write_is_told_at_the_next_one,
            a_failed_write_is_told_by_a_flush,
            a_directory_is_read_in_chunks,
            a_seek_waits_for_a_write_and_goes_back_over_what_was_read,
            copies_have_the_bytes_and_the_permissions,
            files_are_shared_by_clones,
            random_calls_of_std,
            random_calls_of_tokio,
            the_facts_about_files_are_those_of_linux,
            trees_are_made_and_removed,
            writes_are_in_vectors,
        }
        udp {
            a_broadcast_needs_permission,
            a_connected_member_receives_from_its_peer_alone,
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
            a_group_is_joined_once_and_left_once,
            a_group_is_left_by_a_call_and_by_a_drop,
            a_group_of_version_6_is_joined_once_and_left_once,
            a_member_receives_what_is_sent_to_its_group,
            a_peeked_datagram_is_received_next,
            a_readable_socket_has_a_datagram,
            a_socket_at_the_address_of_a_group_sends_as_its_host,
            a_socket_of_std_keeps_its_peer_and_its_options,
            a_socket_of_std_stays_a_member_of_its_group,
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
            options_of_a_socket_are_remembered,
            options_of_groups_are_those_of_their_family,
            peek_cuts_off_and_keeps_the_whole,
            random_calls_about_groups_do_what_the_os_does,
            recv_buf_appends,
            recv_buf_cuts_off_at_the_capacity,
            recv_buf_from_tells_the_sender,
            send_without_connect_has_no_destination,
            sockets_can_be_polled,
            sockets_of_a_member_receive_by_their_addresses,
            the_debug_text_of_a_socket_names_its_type,
            the_errors_of_bind_have_the_numbers_of_the_os,
            the_permission_to_broadcast_is_remembered,
            the_unspecified_destination_is_loopback,
            try_peek_leaves_the_datagram,
            try_recv_would_block_when_nothing_was_sent,
            two_connected_sockets_talk,
            two_tasks_share_a_socket,
            what_came_before_connect_is_still_received,
            what_is_sent_to_a_group_on_loopback_comes_back,
            what_is_sent_to_a_group_on_the_network_comes_back_as_the_options_say,
            what_is_there_can_be_appended_at_once,
        }
        tcp {
            a_borrowed_stream_is_read_and_written_at_once,
            a_bound_socket_connects_from_its_port,
            a_buffer_is_twice_as_large_as_was_asked_for,
            a_buffered_writer_writes_when_it_is_flushed,
            a_client_that_gave_up_at_once_was_connected_all_the_same,
            a_client_that_gave_up_waiting_is_never_accepted,
            a_client_that_is_refused_can_connect_once_somebody_listens,
            a_client_that_left_before_accept_is_accepted,
            a_client_that_waits_gets_in_when_another_is_accepted,
            a_client_that_waits_is_refused_when_the_listener_goes,
            a_client_that_was_reset_before_accept_is_accepted,
            a_connection_takes_the_options_of_its_socket,
            a_dropped_accept_loses_nobody,
            a_dropped_listener_resets_a_client_that_had_shut_down,
            a_dropped_listener_resets_who_is_in_its_queue,
            a_dropped_read_loses_nothing,
            a_frame_is_read_in_parts,
            a_full_stream_is_writable_once_it_was_read,
            a_large_write_is_short,
            a_listener_can_be_bound_anew_while_its_connections_live,
            a_listener_of_std_accepts_as_one_of_tokio,
            a_listener_of_std_has_its_port_until_it_is_dropped,
            a_listener_on_all_addresses_accepts_on_each,
            a_listener_on_one_address_refuses_at_the_others,
            a_listener_takes_the_first_address_that_is_free,
            a_listeners_port_can_not_be_shared,
            a_new_stream_is_writable,
            a_peek_takes_nothing,
            a_peek_takes_the_error_of_a_reset,
            a_peek_waits_for_data,
            a_peer_that_shut_down_and_closed_takes_one_write,
            a_peer_that_shut_down_still_reads,
            a_port_is_shared_only_if_both_sockets_allow_it,
            a_port_taken_on_all_addresses_is_taken_on_each,
            a_process_can_connect_to_itself,
            a_proxy_copies_both_ways,
            a_queue_takes_one_client_more_than_its_backlog,
            a_read_takes_no_more_than_its_buffer,
            a_read_takes_the_error_of_a_reset,
            a_readable_half_may_be_read_at_once,
            a_readable_stream_may_be_read_at_once,
            a_reader_tries_again_until_data_is_there,
            a_reset_after_shutdown_is_a_broken_pipe,
            a_reset_after_shutdown_is_no_error_for_a_reader,
            a_reset_reaches_a_peer_that_had_shut_down,
            a_reset_stream_is_readable_and_writable,
            a_socket_can_connect_to_itself,
            a_socket_connects_from_the_address_that_it_is_bound_to,
            a_socket_is_bound_once,
            a_socket_on_all_addresses_connects_from_one,
            a_stream_can_be_ready_for_both,
            a_stream_is_readable_at_the_end,
            a_stream_names_its_type,
            a_stream_with_data_is_readable,
            a_taken_port_is_an_address_in_use,
            a_waiting_reader_is_woken_by_a_reset,
            a_waiting_reader_is_woken_by_data,
            a_waiting_reader_is_woken_by_the_end,
            a_waiting_writer_is_woken_by_a_reset,
            a_write_is_done_at_once_where_there_is_room,
            a_write_takes_the_error_of_a_reset,
            a_writer_does_not_mind_the_end_that_it_read,
            a_writer_waits_for_its_reader,
            aborting_a_task_closes_its_streams,
            accept_can_be_polled,
            an_accepted_connection_outlives_its_listener,
            an_address_of_version_4_is_refused_by_a_socket_of_6,
            an_address_of_version_6_is_refused_by_a_socket_of_4,
            an_address_that_is_none_is_an_invalid_input,
            an_echo_copies_to_the_end,
            an_empty_buffer_reads_nothing,
            an_empty_buffer_waits_for_data_too,
            an_empty_stream_is_not_readable,
            an_empty_write_after_shutdown_is_a_broken_pipe,
            an_empty_write_does_not_find_out_that_the_peer_is_gone,
            an_empty_write_sends_nothing,
            an_empty_write_takes_the_error_of_a_reset,
            an_end_before_the_last_byte_is_unexpected,
            borrowed_halves_can_be_tried,
            both_ends_know_both_addresses,
            bytes_keep_their_order_and_their_way,
            clients_are_accepted_in_the_order_in_which_they_connected,
            clients_that_left_keep_their_places_in_the_queue,
            closing_after_a_peek_resets,
            closing_with_a_rest_unread_resets,
            closing_with_the_end_unread_resets_nothing,
            closing_with_unread_data_resets,
            connecting_is_done_before_accept,
            connecting_is_refused_when_the_listener_is_gone,
            connecting_is_refused_where_nobody_listens,
            data_sent_before_accept_is_read_after_it,
            dropping_both_halves_closes,
            dropping_the_read_half_closes_nothing,
            dropping_the_read_half_first_makes_a_reset_a_broken_pipe,
            dropping_the_write_half_first_makes_a_reset_a_broken_pipe,
            dropping_the_write_half_shuts_down,
            ephemeral_ports_differ,
            forgetting_the_write_half_shuts_nothing_down,
            halves_are_used_by_two_tasks,
            halves_of_one_stream_are_reunited,
            halves_of_two_streams_are_not_reunited,
            lines_are_read_from_a_stream,
            listening_without_an_address_is_listening_on_all,
            localhost_is_the_process_itself,
            no_address_at_all_is_an_invalid_input,
            nobody_can_connect_to_all,
            nobody_listens_at_port_zero,
            nothing_is_reset_after_both_have_shut_down,
            of_several_errors_the_last_is_told,
            of_two_sockets_that_share_a_port_one_can_listen,
            one_way_can_be_closed_before_the_other,
            operations_of_ones_own_are_called_when_ready,
            operations_of_ones_own_are_not_called_before,
            options_of_a_socket_are_remembered,
            options_of_a_stream_are_remembered,
            owned_halves_know_their_stream,
            quick_acknowledgement_is_remembered,
            read_buf_appends,
            ready_tells_of_the_end,
            ready_tells_what_can_be_done,
            shutdown_always_succeeds,
            shutdown_comes_after_all_that_was_written,
            shutdown_does_not_take_the_error,
            slices_are_written_as_one,
            slices_may_be_read_in_turn,
            streams_can_be_polled,
            tcp_and_udp_have_ports_of_their_own,
            the_addresses_of_a_host_are_tried_in_turn,
            the_end_comes_after_the_last_byte,
            the_error_of_a_reset_can_be_taken,
            the_error_of_a_write_to_a_closed_peer_can_be_taken,
            the_errors_of_bind_have_the_numbers_of_the_os,
            the_last_words_of_a_closed_peer_are_read_after_writing_to_it,
            the_second_write_to_a_closed_peer_is_a_broken_pipe,
            the_ttl_is_remembered,
            the_type_of_service_is_remembered,
            the_unspecified_destination_is_loopback,
            try_read_buf_may_append,
            try_read_may_get_what_was_written,
            try_read_would_block_on_an_empty_stream,
            try_write_after_shutdown_is_a_broken_pipe,
            two_connections_differ_in_an_address,
            two_tasks_accept_at_one_listener,
            two_that_only_write_wait_for_each_other,
            version_6_of_ip_has_a_loopback_of_its_own,
            what_came_before_a_reset_is_read_first,
            what_was_read_before_a_reset_is_kept,
            what_was_written_arrives_after_its_writer_is_gone,
            writes_have_no_borders,
            writing_after_shutdown_is_a_broken_pipe,
            zero_linger_after_shutdown_is_a_broken_pipe,
            zero_linger_changes_nothing_after_both_have_shut_down,
            zero_linger_resets_on_drop,
        }
        unix {
            a_bound_client_is_known_by_its_name,
            a_bound_socket_that_does_not_listen_refuses,
            a_closed_peer_takes_no_write,
            a_connect_is_not_done_at_once,
            a_connected_socket_takes_datagrams_of_its_peer_only,
            a_datagram_tells_its_sender,
            a_datagram_that_is_too_long_is_refused,
            a_dropped_listener_resets_who_is_in_its_queue,
            a_full_stream_would_block,
            a_long_datagram_is_cut_off,
            a_name_that_is_too_long_is_an_invalid_input,
            a_pair_has_no_names,
            a_pair_is_connected,
            a_pair_talks,
            a_path_is_bound_again_once_it_is_removed,
            a_path_refuses_when_its_listener_is_gone,
            a_path_that_nobody_has_bound_is_not_found,
            a_path_that_nobody_has_bound_is_not_found_at_once,
            a_peer_that_is_gone_refuses_once,
            a_pipe_ends_behind_what_was_written,
            a_pipe_is_full_until_it_is_read,
            a_pipe_is_not_shut_down,
            a_pipe_without_reader_is_broken,
            a_queue_takes_one_client_more_than_its_backlog,
            a_removed_file_is_no_obstacle,
            a_send_to_a_full_socket_waits,
            a_shut_down_end_still_reads,
            a_socket_is_bound_before_it_listens_and_once,
            a_socket_is_shut_down,
            a_socket_is_taken_apart_and_put_together,
            a_socket_sends_to_itself,
            a_stream_is_taken_apart_and_put_together,
            a_taken_name_is_an_address_in_use,
            a_waiting_reader_is_woken_by_the_end,
            a_waiting_reader_of_a_pipe_is_woken,
            a_waiting_writer_is_woken_when_its_peer_goes,
            a_waiting_writer_to_a_pipe_is_woken_when_its_reader_goes,
            a_write_is_readable_at_once,
            a_writer_waits_for_its_reader,
            addresses_lead_to_names,
            an_abstract_name_is_bound_and_connected_to,
            an_abstract_name_is_free_when_its_socket_is_gone,
            an_abstract_name_that_nobody_has_bound_refuses,
            an_empty_stream_is_not_readable,
            an_end_of_a_pipe_can_be_tried,
            borrowed_halves_can_be_tried,
            calls_that_do_not_wait_would_block,
            clients_are_accepted_in_the_order_in_which_they_connected,
            closing_with_a_rest_unread_resets_after_shutdown_too,
            closing_with_unread_bytes_resets_behind_the_last_words,
            datagrams_can_be_polled,
            datagrams_of_several_senders_keep_their_order,
            dropping_the_write_half_shuts_down,
            ends_know_their_names,
            ends_of_a_pipe_say_what_they_are_ready_for,
            forgetting_the_write_half_shuts_nothing_down,
            halves_are_reunited,
            halves_are_used_by_two_tasks,
            names_that_nobody_holds_are_errors,
            nothing_comes_of_nothing,
            pairs_are_made_anew,
            polls_are_answered,
            sockets_are_made_step_by_step,
            the_error_of_a_reset_can_be_taken,
            the_peer_belongs_to_the_same_user_and_process,
            writes_have_no_borders,
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
            an_instant_before_the_start_is_over,
            an_interval_can_be_reset,
            an_interval_from_an_instant_that_is_over_is_late,
            an_interval_ticks_at_once_and_then_after_each_period,
            instants_are_ordered_and_can_be_reckoned_with,
            interval_at_begins_later,
            sleeps_end_in_the_order_of_their_deadlines,
            there_are_instants_before_the_start,
            timeout_at_takes_a_point_in_time,
        }
        task {
            a_biased_select_takes_the_first_ready_branch,
            a_blocking_closure_gives_its_output,
            a_join_set_gives_outputs_in_the_order_of_their_ends,
            a_join_set_is_aborted_as_a_whole,
            a_join_set_tells_which_task_ended,
            a_local_set_is_done_when_all_its_tasks_are,
            a_select_keeps_the_futures_that_lost,
            a_task_gives_its_output,
            a_task_goes_on_without_its_handle,
            a_task_knows_who_it_is,
            a_task_that_was_not_joined_keeps_its_id,
            a_value_is_a_tasks_own,
            abort_comes_too_late_for_an_ended_task,
            abort_drops_what_the_task_holds,
            an_aborted_task_is_cancelled,
            an_error_tells_which_task_was_cancelled,
            an_unconstrained_future_gives_its_output,
            join_waits_for_all,
            local_tasks_share_what_is_not_send,
            pinned_futures_can_be_polled_again,
            try_join_stops_at_the_first_error,
            who_can_abort_sees_the_end,
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
    parity! { among checked:
        files {
            a_file_that_is_dropped_may_be_read_before_its_write,
            the_length_may_be_told_before_a_write,
        }
        udp {
            datagrams_of_two_senders_arrive_in_some_order,
            try_recv_may_get_what_was_sent,
        }
        tcp {
            a_read_gets_what_has_come_by_then,
            a_write_may_come_before_or_after_the_peers_close,
            connecting_may_come_before_listening,
            two_clients_at_once_are_accepted_in_some_order,
        }
        task {
            a_select_takes_any_ready_branch,
            tasks_take_turns,
        }
    }
}

/// The cases of memory that tasks share: one list, for each of the modules that they are compiled in.
macro_rules! shared_memory {
    ($checked:ident) => {
        parity! { same $checked:
            memory {
                a_lock_can_hide_its_type,
                a_lock_excludes,
                a_lock_is_set_once,
                a_panic_poisons_a_lock,
                atomics_are_changed_in_one_step,
                flags_and_pointers_are_exchanged,
                readers_share_a_lock,
            }
            sync {
                a_barrier_lets_one_lead,
                a_bounded_channel_is_full_and_closes,
                a_broadcast_can_be_tried,
                a_broadcast_reaches_every_subscriber,
                a_cell_can_be_tried_and_taken,
                a_cell_is_initialized_once,
                a_closed_channel_still_gives_what_it_has,
                a_closed_semaphore_has_no_permits,
                a_guard_is_narrowed_to_a_part,
                a_guard_moves_into_a_task,
                a_lock_has_one_writer_or_many_readers,
                a_mutex_excludes,
                a_notification_is_kept_for_one_waiter,
                a_oneshot_can_be_tried_and_closed,
                a_oneshot_carries_one_value,
                a_reader_waits_behind_a_writer_that_waits,
                a_semaphore_gives_what_it_has,
                a_sender_learns_that_nobody_receives,
                a_waiter_passes_its_notification_on,
                a_watch_shows_the_latest_value,
                a_watch_value_is_new_once,
                a_weak_sender_keeps_no_channel_open,
                a_writer_becomes_a_reader,
                all_that_wait_are_notified,
                an_unbounded_channel_ends_with_its_senders,
                futures_of_shared_memory_can_be_sent,
                permits_are_split_merged_and_forgotten,
                room_can_be_reserved,
                shared_memory_has_a_debug_text,
                what_is_there_is_received_at_once,
                who_gives_up_leaves_the_queue,
            }
        }

        mod one_of_several {
            parity! { among $checked:
                memory {
                    an_update_in_two_steps_may_be_lost,
                }
                sync {
                    the_first_of_two_senders_may_be_either,
                }
            }
        }
    };
}

mod untracked_memory {
    shared_memory! { checked }
}

mod tracked_memory {
    shared_memory! { tracked }
}

/// Where netcheck does not do as the OS does.
mod different {
    macro_rules! different {
        ($($area:ident::$case:ident: $tokio:literal, not $netcheck:literal;)*) => { $(
            #[test]
            fn $case() {
                let both = crate::parity::both(
                        || crate::parity::observe(crate::parity::real::$area::$case()),
                        || crate::parity::observe(super::checked::$area::$case()),
                    );
                super::differs(both, $tokio, $netcheck);
            }
        )* };
    }

    different! {
        tcp::a_connection_closed_both_ways_has_no_peer:
            "[Ok(()), Err(NotConnected), Err(NotConnected)]",
            not "[Ok(()), Ok(()), Ok(())]";
        tcp::a_connection_holds_its_port_against_those_that_do_not_share:
            "[Err(AddrInUse), Ok(())]",
            not "[Ok(()), Ok(())]";
        tcp::a_listener_on_version_6_accepts_version_4_too: "Some((true, AddrInUse))", not "Some((false, Other))";
        tcp::a_reset_connection_has_no_peer: "(true, Err(NotConnected))", not "(true, Ok(()))";
        tcp::listeners_that_allow_it_share_a_port: "[Ok(()), Err(AddrInUse)]", not "[Err(AddrInUse), Err(AddrInUse)]";
        tcp::who_closes_first_holds_the_port_for_a_while: "Err(AddrInUse)", not "Ok(())";
        tcp::zero_linger_loses_what_the_peer_had_no_room_for:
            "(true, Err(ConnectionReset))",
            not "(false, Err(ConnectionReset))";
        udp::a_connected_peer_that_is_gone_refuses: "[Ok(5), Err(ConnectionRefused)]", not "[Ok(5), Ok(0)]";
        udp::all_addresses_of_version_6_are_all_of_version_4_too: "Some((AddrInUse, false))", not "Some((Other, true))";
    }
}

/// The items of tokio that networked programs use most, as far as netcheck has them.
const ITEMS: [(&str, &[&str]); 6] = [
    (
        include_str!("parity/io.rs"),
        &["BufWriter::new", "read_buf", "flush", "write_all", "write_u8", "copy_bidirectional"],
    ),
    (
        include_str!("parity/udp.rs"),
        &["bind", "connect", "local_addr", "peer_addr", "recv", "recv_from", "send", "send_to", "lookup_host"],
    ),
    (
        concat!(
            include_str!("parity/tcp.rs"),
            include_str!("parity/tcp/binding.rs"),
            include_str!("parity/tcp/connecting.rs"),
            include_str!("parity/tcp/halves.rs"),
            include_str!("parity/tcp/readiness.rs"),
            include_str!("parity/tcp/streaming.rs"),
        ),
        &[
            "TcpListener::bind",
            "accept",
            "TcpStream::connect",
            "local_addr",
            "peer_addr",
            "set_nodelay",
            "read",
            "read_exact",
            "read_to_string",
            "write_all",
            "shutdown",
            "split",
            "into_split",
            "peek",
            "readable",
            "writable",
            "try_read",
            "try_write",
        ],
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
