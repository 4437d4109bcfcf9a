#!/usr/bin/env bash
# build makes protobuf's conformance test runner from Debian's source package, and prints
# the name of the program. It is kept in the user's cache directory, where the test of this directory looks
# for it, and made only once, in about a minute.
#
# Needs g++, libprotobuf-dev, protobuf-compiler, and an apt-get that reaches Debian's archive:
# no entry for source packages in its lists, and no rights.
set -euo pipefail

cache=${XDG_CACHE_HOME:-$HOME/.cache}/arena-go-arena
runner=$cache/conformance_test_runner
if [ -x "$runner" ]; then
	echo "$runner"
	exit
fi

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

# An apt-get of our own, for the source packages of where the library came from.
apt-cache policy libprotobuf-dev | awk '$2 ~ "^https?:" { split($3, s, "/"); print "deb-src", $2, s[1], s[2] }' >sources.list
if [ ! -s sources.list ]; then
	echo "build.sh: apt does not know where libprotobuf-dev comes from: run apt-get update" >&2
	exit 1
fi
mkdir -p lists/partial cache/archives/partial
apt() {
	apt-get -q -o Dir::Etc::sourcelist="$dir/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$dir/lists" \
		-o Dir::Cache="$dir/cache" -o Debug::NoLocking=true -o APT::Sandbox::User="$(id -un)" "$@" >&2
}
apt update
apt source --download-only --tar-only protobuf
mkdir src
tar xzf protobuf_*.orig.tar.gz -C src --strip-components=1
protobuf=$dir/src

# One header of the library is not in its package.
mkdir -p build/google/protobuf/stubs
cp "$protobuf/src/google/protobuf/stubs/stringprintf.h" build/google/protobuf/stubs
protoc -I "$protobuf/conformance" -I "$protobuf/src" --cpp_out=build conformance.proto \
	google/protobuf/test_messages_proto2.proto google/protobuf/test_messages_proto3.proto
printf '%s\0' "$protobuf"/conformance/{conformance_test,conformance_test_main,conformance_test_runner}.cc \
	"$protobuf"/conformance/{binary_json,text_format}_conformance_suite.cc \
	"$protobuf"/conformance/third_party/jsoncpp/jsoncpp.cpp build/*.cc build/google/protobuf/*.cc |
	xargs -0 -n 1 -P 2 sh -c 'g++ -std=c++17 -w -I build -I "$0" -c "$1" -o "build/$(basename "$1").o"' "$protobuf/conformance"
g++ -o runner build/*.o -lprotobuf -pthread

mkdir -p "$cache"
mv runner "$runner"
echo "$runner"
