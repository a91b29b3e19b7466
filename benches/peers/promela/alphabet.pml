/*
 * The alphabet client and server (examples/alphabet/program.rs) in Promela: C connections, 1 to 3, of R requests.
 *
 * LOSS: either direction may lose a packet; which one is chosen when it is sent.
 * TIMEOUTS: a consumer gives up when nothing else can happen. Else it waits for ever, as in the other peers without
 * time, which leads to the same assertions and leaves more to partial-order reduction.
 *
 * What else the program does (binding, connecting, spawning, joining) is left out. Nobody ever ends: that would be one
 * more step, which SPIN allows only to the youngest process. Each connection has channels with names of their own, so
 * that `xr` and `xs` can promise SPIN that one process receives and one sends: without it nothing is reduced.
 */
#ifdef LOSS
#define SEND(channel, value) if :: channel!value :: skip fi
#else
#define SEND(channel, value) channel!value
#endif

#ifdef TIMEOUTS
#define OR_GIVE_UP :: atomic { received < R && timeout -> break }
#else
#define OR_GIVE_UP
#endif

#define CONNECTION(n) \
chan request##n = [R] of { byte }; \
chan response##n = [R] of { byte }; \
\
active proctype producer##n() \
{ \
	xs request##n; \
	byte sent = 0; \
	do \
	:: atomic { sent < R -> SEND(request##n, sent); sent++ } \
	:: sent == R -> break \
	od; \
end:	false \
} \
\
active proctype server##n() \
{ \
	xr request##n; \
	xs response##n; \
	byte digit = 0; \
end:	do \
	:: request##n?digit -> atomic { SEND(response##n, digit); digit = 0 } \
	od \
} \
\
active proctype consumer##n() \
{ \
	xr response##n; \
	byte letter = 0; \
	byte received = 0; \
end:	do \
	:: atomic { received < R && nempty(response##n) -> \
		response##n?letter; assert(letter < R); letter = 0; received++ } \
	OR_GIVE_UP \
	:: received == R -> break \
	od; \
end_given_up:	false \
}

CONNECTION(1)
#if C > 1
CONNECTION(2)
#endif
#if C > 2
CONNECTION(3)
#endif
