//! Functions of the C library for sockets, which a program's calls reach first.
//!
//! A socket that has neither an address nor a peer has no traffic, and crates make such sockets to set options of them. A
//! listener or a socket for datagrams that a program binds by std or `socket2`, and then hands to tokio, is one of the check:
//! the source is asked whether it may be bound, listen, and have a peer, and the socket of the system stays without an address.
//! With all else, traffic would be real: so with datagrams that are not sent and received by tokio.

use super::{Own, answered, failed, is_forbidden, is_stand_in, own_system_call};
use crate::file_call::FileCall;
use crate::place::engine;
use crate::source::{self, Forbidden, Interface, Membership, SocketSort};
use core::ffi::{c_int, c_uint, c_void};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};

type AtAddress = unsafe extern "C" fn(c_int, *const libc::sockaddr, libc::socklen_t) -> c_int;
type WithAddress = unsafe extern "C" fn(c_int, *mut libc::sockaddr, *mut libc::socklen_t) -> c_int;
type Accept = unsafe extern "C" fn(c_int, *mut libc::sockaddr, *mut libc::socklen_t, c_int) -> c_int;
type Listen = unsafe extern "C" fn(c_int, c_int) -> c_int;
type SetSockOpt = unsafe extern "C" fn(c_int, c_int, c_int, *const c_void, libc::socklen_t) -> c_int;
type Close = unsafe extern "C" fn(c_int) -> c_int;

static CONNECT: Own = Own::new(c"connect");
static BIND: Own = Own::new(c"bind");
static LISTEN: Own = Own::new(c"listen");
static ACCEPT: Own = Own::new(c"accept");
static ACCEPT4: Own = Own::new(c"accept4");
static GETSOCKNAME: Own = Own::new(c"getsockname");
static SETSOCKOPT: Own = Own::new(c"setsockopt");
static CLOSE: Own = Own::new(c"close");

/// # Safety
///
/// As the C library's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn connect(socket: c_int, address: *const libc::sockaddr, bytes: libc::socklen_t) -> c_int {
    if source::exists() {
        // SAFETY: the caller passes an address of so many bytes.
        let peer = unsafe { read(address, bytes) };
        if let Some(answer) = peer.and_then(|peer| source::ask(|source| source.connect(socket, peer))).flatten() {
            return answered(answer);
        }
        if is_forbidden(Forbidden::Socket) {
            return failed(libc::EPERM);
        }
    }
    // SAFETY: the arguments are the caller's.
    unsafe { at_address(&CONNECT, libc::SYS_connect, (socket, address, bytes)) }
}

/// # Safety
///
/// As the C library's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn bind(socket: c_int, address: *const libc::sockaddr, bytes: libc::socklen_t) -> c_int {
    if source::exists() {
        // SAFETY: the caller passes an address of so many bytes.
        let bound = unsafe { read(address, bytes) }.zip(sort(socket));
        let bind = |(address, sort)| source::ask(|source| source.bind(socket, sort, address));
        if let Some(answer) = bound.and_then(bind).flatten() {
            return answered(answer);
        }
        if is_forbidden(Forbidden::Socket) {
            return failed(libc::EPERM);
        }
    }
    // SAFETY: the arguments are the caller's.
    unsafe { at_address(&BIND, libc::SYS_bind, (socket, address, bytes)) }
}

/// # Safety
///
/// As the C library's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn listen(socket: c_int, backlog: c_int) -> c_int {
    if let Some(answer) = source::ask(|source| source.listen(socket, backlog)).flatten() {
        return answered(answer);
    }
    match LISTEN.address() {
        // SAFETY: it is the C library's function of that name.
        Some(own) => unsafe { std::mem::transmute::<*mut c_void, Listen>(own.as_ptr())(socket, backlog) },
        // SAFETY: the system call takes these arguments.
        None => unsafe { own_system_call(libc::SYS_listen, socket as usize, backlog as usize, 0, 0, 0, 0) as c_int },
    }
}

/// Connections of a listener of the check come to tokio's alone.
///
/// # Safety
///
/// As the C library's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn accept(socket: c_int, address: *mut libc::sockaddr, bytes: *mut libc::socklen_t) -> c_int {
    if is_ours(socket) && is_forbidden(Forbidden::Socket) {
        return failed(libc::EPERM);
    }
    // SAFETY: the arguments are the caller's.
    unsafe { with_address(&ACCEPT, libc::SYS_accept4, (socket, address, bytes)) }
}

/// As [`accept`].
///
/// # Safety
///
/// As the C library's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn accept4(
    socket: c_int,
    address: *mut libc::sockaddr,
    bytes: *mut libc::socklen_t,
    flags: c_int,
) -> c_int {
    if is_ours(socket) && is_forbidden(Forbidden::Socket) {
        return failed(libc::EPERM);
    }
    match ACCEPT4.address() {
        // SAFETY: it is the C library's function of that name, and the arguments are the caller's.
        Some(own) => unsafe { std::mem::transmute::<*mut c_void, Accept>(own.as_ptr())(socket, address, bytes, flags) },
        // SAFETY: the system call takes these arguments.
        None => unsafe {
            let (address, bytes) = (address as usize, bytes as usize);
            own_system_call(libc::SYS_accept4, socket as usize, address, bytes, flags as usize, 0, 0) as c_int
        },
    }
}

/// Functions that send or receive, with the numbers of their system calls.
macro_rules! traffic {
    ($(fn $name:ident($($argument:ident: $Argument:ty),*) -> $Result:ty = $number:expr;)*) => {$(
        /// # Safety
        ///
        /// As the C library's function.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(socket: c_int, $($argument: $Argument),*) -> $Result {
            static OWN: Own = Own::named(concat!(stringify!($name), "\0"));
            if has_datagrams(socket) && is_forbidden(Forbidden::Socket) {
                return failed(libc::EPERM) as $Result;
            }
            match OWN.address() {
                // SAFETY: it is the C library's function of that name, and the arguments are the caller's.
                Some(own) => unsafe {
                    std::mem::transmute::<*mut c_void, unsafe extern "C" fn(c_int, $($Argument),*) -> $Result>(
                        own.as_ptr(),
                    )(socket, $($argument),*)
                },
                None => {
                    let (mut all, given) = ([0; 5], [$($argument as usize),*]);
                    all[..given.len()].copy_from_slice(&given);
                    let [b, c, d, e, f] = all;
                    // SAFETY: the system call takes these arguments, and zeros behind them.
                    unsafe { own_system_call($number, socket as usize, b, c, d, e, f) as $Result }
                }
            }
        }
    )*};
}

traffic! {
    fn send(bytes: *const c_void, count: usize, flags: c_int) -> isize = libc::SYS_sendto;
    fn sendto(
        bytes: *const c_void, count: usize, flags: c_int, to: *const libc::sockaddr, size: libc::socklen_t
    ) -> isize = libc::SYS_sendto;
    fn sendmsg(message: *const libc::msghdr, flags: c_int) -> isize = libc::SYS_sendmsg;
    fn sendmmsg(messages: *mut libc::mmsghdr, count: c_uint, flags: c_int) -> c_int = libc::SYS_sendmmsg;
    fn recv(bytes: *mut c_void, count: usize, flags: c_int) -> isize = libc::SYS_recvfrom;
    fn recvfrom(
        bytes: *mut c_void, count: usize, flags: c_int, from: *mut libc::sockaddr, size: *mut libc::socklen_t
    ) -> isize = libc::SYS_recvfrom;
    fn recvmsg(message: *mut libc::msghdr, flags: c_int) -> isize = libc::SYS_recvmsg;
    fn recvmmsg(
        messages: *mut libc::mmsghdr, count: c_uint, flags: c_int, patience: *mut libc::timespec
    ) -> c_int = libc::SYS_recvmmsg;
}

/// Whether datagrams of IP go through a socket, in a poll.
fn has_datagrams(socket: c_int) -> bool {
    let of_ip = |domain| matches!(domain, libc::AF_INET | libc::AF_INET6);
    source::exists()
        && sort(socket) == Some(SocketSort::Datagrams)
        && option(socket, libc::SO_DOMAIN).is_some_and(of_ip)
}

/// The sort of a socket, if it can be one of the check.
fn sort(socket: c_int) -> Option<SocketSort> {
    match option(socket, libc::SO_TYPE)? {
        libc::SOCK_STREAM => {
            let shares = option(socket, libc::SO_REUSEADDR).is_some_and(|value| value != 0);
            Some(SocketSort::Stream { shares })
        }
        libc::SOCK_DGRAM => Some(SocketSort::Datagrams),
        _ => None,
    }
}

/// Whether a socket stands for one of the check.
fn is_ours(socket: c_int) -> bool {
    source::ask(|source| source.address_of(socket)).flatten().is_some()
}

/// # Safety
///
/// As the C library's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn getsockname(socket: c_int, address: *mut libc::sockaddr, bytes: *mut libc::socklen_t) -> c_int {
    if let Some(own) = source::ask(|source| source.address_of(socket)).flatten() {
        // SAFETY: the caller passes a place of so many bytes, and one for how many were written.
        unsafe { write(own, address, bytes) };
        return 0;
    }
    // SAFETY: the arguments are the caller's.
    unsafe { with_address(&GETSOCKNAME, libc::SYS_getsockname, (socket, address, bytes)) }
}

/// Only what makes a socket a member of a multicast group, or ends that, concerns others than the socket.
///
/// # Safety
///
/// As the C library's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn setsockopt(
    socket: c_int,
    level: c_int,
    name: c_int,
    value: *const c_void,
    bytes: libc::socklen_t,
) -> c_int {
    if source::exists() && is_of_groups(level, name) {
        // SAFETY: the caller passes a value of so many bytes.
        let membership = unsafe { membership((level, name), value, bytes) };
        let member = |membership| source::ask(|source| source.member(socket, membership));
        if let Some(answer) = membership.and_then(member).flatten() {
            return answered(answer);
        }
        if is_forbidden(Forbidden::Socket) {
            return failed(libc::EPERM);
        }
    }
    match SETSOCKOPT.address() {
        // SAFETY: it is the C library's function of that name, and the arguments are the caller's.
        Some(own) => unsafe {
            std::mem::transmute::<*mut c_void, SetSockOpt>(own.as_ptr())(socket, level, name, value, bytes)
        },
        // SAFETY: the system call takes these arguments, and a zero behind them.
        None => unsafe {
            let (socket, level, name) = (socket as usize, level as usize, name as usize);
            own_system_call(libc::SYS_setsockopt, socket, level, name, value as usize, bytes as usize, 0) as c_int
        },
    }
}

/// Whether an option is about members of multicast groups.
fn is_of_groups(level: c_int, name: c_int) -> bool {
    match level {
        libc::IPPROTO_IP => matches!(
            name,
            libc::IP_ADD_MEMBERSHIP
                | libc::IP_DROP_MEMBERSHIP
                | libc::IP_ADD_SOURCE_MEMBERSHIP
                | libc::IP_DROP_SOURCE_MEMBERSHIP
                | libc::MCAST_JOIN_GROUP
        ),
        libc::IPPROTO_IPV6 => {
            matches!(name, libc::IPV6_ADD_MEMBERSHIP | libc::IPV6_DROP_MEMBERSHIP | libc::MCAST_JOIN_GROUP)
        }
        _ => false,
    }
}

/// The membership that an option is about, if it is of a kind that a check has.
///
/// # Safety
///
/// So many bytes may be read there.
unsafe fn membership(option: (c_int, c_int), value: *const c_void, bytes: libc::socklen_t) -> Option<Membership> {
    let has = |size: usize| !value.is_null() && bytes as usize >= size;
    let ip = |address: libc::in_addr| Ipv4Addr::from(u32::from_be(address.s_addr));
    let joins = match option {
        (libc::IPPROTO_IP, libc::IP_ADD_MEMBERSHIP) | (libc::IPPROTO_IPV6, libc::IPV6_ADD_MEMBERSHIP) => true,
        (libc::IPPROTO_IP, libc::IP_DROP_MEMBERSHIP) | (libc::IPPROTO_IPV6, libc::IPV6_DROP_MEMBERSHIP) => false,
        _ => return None,
    };
    if option.0 == libc::IPPROTO_IPV6 && has(size_of::<libc::ipv6_mreq>()) {
        // SAFETY: it is there as a whole, and all of its values are memberships.
        let asked = unsafe { value.cast::<libc::ipv6_mreq>().read_unaligned() };
        let group = Ipv6Addr::from(asked.ipv6mr_multiaddr.s6_addr).into();
        return Some(Membership { group, at: Interface::Number(asked.ipv6mr_interface), joins });
    }
    if option.0 == libc::IPPROTO_IP && has(size_of::<libc::ip_mreqn>()) {
        // SAFETY: likewise.
        let asked = unsafe { value.cast::<libc::ip_mreqn>().read_unaligned() };
        let at = match asked.imr_ifindex {
            0 => Interface::Address(ip(asked.imr_address)),
            number => Interface::Number(number.cast_unsigned()),
        };
        return Some(Membership { group: ip(asked.imr_multiaddr).into(), at, joins });
    }
    if option.0 == libc::IPPROTO_IP && has(size_of::<libc::ip_mreq>()) {
        // SAFETY: likewise.
        let asked = unsafe { value.cast::<libc::ip_mreq>().read_unaligned() };
        let at = Interface::Address(ip(asked.imr_interface));
        return Some(Membership { group: ip(asked.imr_multiaddr).into(), at, joins });
    }
    None
}

/// # Safety
///
/// As the C library's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn close(file: c_int) -> c_int {
    if is_stand_in(file) {
        engine(|| source::ask(|source| source.file(FileCall::Close { file })));
        return 0;
    }
    source::ask(|source| source.closes(file));
    match CLOSE.address() {
        // SAFETY: it is the C library's function of that name, and the descriptor is the caller's.
        Some(own) => unsafe { std::mem::transmute::<*mut c_void, Close>(own.as_ptr())(file) },
        // SAFETY: the system call takes this argument.
        None => unsafe { own_system_call(libc::SYS_close, file as usize, 0, 0, 0, 0, 0) as c_int },
    }
}

/// # Safety
///
/// The arguments are those of the C library's function, which is `own`.
unsafe fn at_address(
    own: &Own,
    number: libc::c_long,
    (socket, address, bytes): (c_int, *const libc::sockaddr, libc::socklen_t),
) -> c_int {
    match own.address() {
        // SAFETY: it is the C library's function of that name, and the arguments are the caller's.
        Some(own) => unsafe { std::mem::transmute::<*mut c_void, AtAddress>(own.as_ptr())(socket, address, bytes) },
        // SAFETY: the system call takes these arguments.
        None => unsafe { own_system_call(number, socket as usize, address as usize, bytes as usize, 0, 0, 0) as c_int },
    }
}

/// # Safety
///
/// As [`at_address`].
unsafe fn with_address(
    own: &Own,
    number: libc::c_long,
    (socket, address, bytes): (c_int, *mut libc::sockaddr, *mut libc::socklen_t),
) -> c_int {
    match own.address() {
        // SAFETY: it is the C library's function of that name, and the arguments are the caller's.
        Some(own) => unsafe { std::mem::transmute::<*mut c_void, WithAddress>(own.as_ptr())(socket, address, bytes) },
        // SAFETY: the system call takes these arguments, and a zero behind them.
        None => unsafe { own_system_call(number, socket as usize, address as usize, bytes as usize, 0, 0, 0) as c_int },
    }
}

/// The value of an option of a socket that is a number.
fn option(socket: c_int, name: c_int) -> Option<c_int> {
    let (mut value, mut bytes): (c_int, _) = (0, size_of::<c_int>() as libc::socklen_t);
    // SAFETY: there is a place for a number of that size.
    let result =
        unsafe { libc::getsockopt(socket, libc::SOL_SOCKET, name, (&raw mut value).cast::<c_void>(), &raw mut bytes) };
    (result == 0).then_some(value)
}

/// An address of IP.
///
/// # Safety
///
/// So many bytes may be read there.
unsafe fn read(address: *const libc::sockaddr, bytes: libc::socklen_t) -> Option<SocketAddr> {
    let has = |size: usize| !address.is_null() && bytes as usize >= size;
    if !has(size_of::<libc::sa_family_t>()) {
        return None;
    }
    // SAFETY: the family comes first, and is there.
    let family = c_int::from(unsafe { address.cast::<libc::sa_family_t>().read_unaligned() });
    if family == libc::AF_INET && has(size_of::<libc::sockaddr_in>()) {
        // SAFETY: it is there as a whole, and all of its values are addresses.
        let address = unsafe { address.cast::<libc::sockaddr_in>().read_unaligned() };
        let ip = Ipv4Addr::from(u32::from_be(address.sin_addr.s_addr));
        return Some(SocketAddrV4::new(ip, u16::from_be(address.sin_port)).into());
    }
    if family == libc::AF_INET6 && has(size_of::<libc::sockaddr_in6>()) {
        // SAFETY: likewise.
        let address = unsafe { address.cast::<libc::sockaddr_in6>().read_unaligned() };
        let ip = Ipv6Addr::from(address.sin6_addr.s6_addr);
        let port = u16::from_be(address.sin6_port);
        return Some(SocketAddrV6::new(ip, port, address.sin6_flowinfo, address.sin6_scope_id).into());
    }
    None
}

/// Writes as much of an address as there is room for, and how many bytes it has.
///
/// # Safety
///
/// `bytes` says how many may be written at `address`, and may be written itself.
unsafe fn write(own: SocketAddr, address: *mut libc::sockaddr, bytes: *mut libc::socklen_t) {
    match own {
        SocketAddr::V4(own) => {
            let written = libc::sockaddr_in {
                sin_family: libc::AF_INET as libc::sa_family_t,
                sin_port: own.port().to_be(),
                sin_addr: libc::in_addr { s_addr: u32::from(*own.ip()).to_be() },
                sin_zero: [0; 8],
            };
            // SAFETY: the caller's promise.
            unsafe { copy(&written, address, bytes) };
        }
        SocketAddr::V6(own) => {
            let written = libc::sockaddr_in6 {
                sin6_family: libc::AF_INET6 as libc::sa_family_t,
                sin6_port: own.port().to_be(),
                sin6_flowinfo: own.flowinfo(),
                sin6_addr: libc::in6_addr { s6_addr: own.ip().octets() },
                sin6_scope_id: own.scope_id(),
            };
            // SAFETY: the caller's promise.
            unsafe { copy(&written, address, bytes) };
        }
    }
}

/// # Safety
///
/// As [`write`].
unsafe fn copy<T>(written: &T, address: *mut libc::sockaddr, bytes: *mut libc::socklen_t) {
    // SAFETY: the place is the caller's, and has so many bytes; the value has as many as are copied.
    unsafe {
        let room = bytes.read() as usize;
        std::ptr::copy_nonoverlapping(
            std::ptr::from_ref(written).cast::<u8>(),
            address.cast::<u8>(),
            room.min(size_of::<T>()),
        );
        bytes.write(size_of::<T>() as libc::socklen_t);
    }
}
