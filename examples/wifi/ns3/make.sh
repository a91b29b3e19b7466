#!/bin/sh
# Builds the program that makes pairs of captures with ns-3 (Debian's libns3-dev, 3.37):
#   examples/wifi/ns3/make.sh [FOLDER]
# leaves FOLDER/pair; without a folder it is target/wifi.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-"$here/../../../target/wifi"}
mkdir -p "$folder"
# The modules name each other's headers by `ns3/…`; the libraries are those that pkg-config knows.
libraries=$(pkg-config --libs-only-l ns3-wifi ns3-internet ns3-applications ns3-mobility | tr ' ' '\n' | grep '^-lns3' | sort -u | tr '\n' ' ')
g++ -std=c++17 -O1 "$here/pair.cc" -o "$folder/pair" $libraries
