#!/usr/bin/env bash
# Captures transfers of examples/tftp, of tftp-hpa and of atftp over the loopback of a network namespace: one for nothing
# to be lost, and others through between.py, on the side of the one that is to be judged. Run as root on Linux, from
# anywhere; needs cargo, tcpdump, python3, ip (iproute2), unshare, and for the last ones tftp-hpa, tftpd-hpa, atftp and
# atftpd. In Debian the two servers have one name, so that only one of them can be installed: TFTPD_HPA says where the
# one of tftpd-hpa is (`apt-get download tftpd-hpa`, `dpkg -x`). With arguments: makes only the captures of these names.
set -euo pipefail
cd "$(dirname "$0")"

cargo build --package netcheck --example tftp
target="${CARGO_TARGET_DIR:-../../../target}"
export TFTP="$target/debug/examples/tftp"
export BETWEEN="$PWD/between.py" TFTPD_HPA="${TFTPD_HPA:-in.tftpd}"
wanted=" $* "

# capture NAME SIDE FATES SERVER CLIENT: SIDE is that of the one that is judged, `both` if nothing stands between them
capture() {
    [[ "$wanted" == "  " || "$wanted" == *" $1 "* ]] || return 0
    unshare --net --pid --fork --mount-proc bash -euc '
        name=$1 side=$2 fates=$3 server=$4 client=$5
        declare -A host=([client]=127.0.0.2 [server]=127.0.0.3 [both]=127.0.0.1)
        # what a client talks to
        export SERVER=127.0.0.1; [ "$side" = both ] || SERVER=127.0.0.2
        folder=$(mktemp -d); served=$folder/served; mkdir "$served"; chmod 777 "$folder" "$served"; cd "$folder"
        export SERVED=$served
        seq 1 300 | head -c 1100 | tee notes.txt > "$served/notes.txt"; touch "$served/put.txt"; cp notes.txt put.txt
        chmod 666 "$served"/*
        # the server of tftp-hpa binds no address where there are none but those of loopback
        ip link set lo up; ip address add 10.0.0.1/32 dev lo
        eval "$server" > /dev/null 2>&1 &
        [ "$side" = both ] || python3 "$BETWEEN" $fates &
        tcpdump --immediate-mode -i lo -w "/tmp/$name.pcap" udp and host "${host[$side]}" 2> /dev/null & tcpdump=$!
        sleep 1
        eval "$client" > /dev/null || echo "$name: the client fails"
        sleep "${LINGER:-1}"
        kill -INT "$tcpdump"; wait "$tcpdump" || true
        rm -r "$folder"
    ' capture "$@"
    cp "/tmp/$1.pcap" . && chmod 644 "$1.pcap"
}

ours='$TFTP serve --port 69 $SERVED'
get='$TFTP get --server $SERVER:69 notes.txt'
put='$TFTP put --server $SERVER:69 put.txt'

# what is right
capture tftp both "" "$ours" "$get; $put"
capture tftp_lossy_client client "c2=0 c4=0 s2=2 s6=0 s7=0 s9=2" "$ours" "$get; $put"
capture tftp_lossy_server server "c2=0 c4=0 s2=2 s6=0 s7=0 s9=2" "$ours" "$get; $put"

# the faults of examples/tftp
capture tftp_apprentice server "c3=2" "$ours --fault apprentice" "$get"
capture tftp_fixed_timeout client "c2=0 c3=0" "$ours" "$put --fault fixed-timeout"
LINGER=4 capture tftp_final_ack_never_again client "c5=0" "$ours" "$get --fault no-final-ack-again"
LINGER=1 capture tftp_final_ack_for_any_data client "s3=1+1" "$ours" "$get --fault final-ack-for-any-data"

# what others do: tftp-hpa and atftp, where nothing is lost, and where some is
hpa='$TFTPD_HPA --listen --address 127.0.0.1:69 --user root --create --permissive --secure $SERVED; sleep 60'
hpa_get='tftp -m octet $SERVER -c get notes.txt'
hpa_put='tftp -m octet $SERVER -c put put.txt'
atftp='atftpd --daemon --no-fork --user root --bind-address 127.0.0.1 $SERVED'
atftp_get='atftp --get --remote-file notes.txt --local-file notes.txt $SERVER'
atftp_put='atftp --put --remote-file put.txt --local-file put.txt $SERVER'

capture tftp_hpa both "" "$hpa" "$hpa_get; $hpa_put"
capture tftp_atftp both "" "$atftp" "$atftp_get; $atftp_put"
capture tftp_hpa_server server "c3=2" "$hpa" "$hpa_get"
capture tftp_hpa_client client "c1=0 c2=0" "$hpa" "$hpa_put"
capture tftp_atftp_server server "c3=2" "$atftp" "$atftp_get"
capture tftp_atftp_client client "c3=0" "$ours" "$atftp_put"
