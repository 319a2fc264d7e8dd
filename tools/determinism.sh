#!/usr/bin/env bash
# Makes the same steps on several architectures and compares their hashes: of everything, and of the rules
# and encodings alone, all that there is on s390x, which is big-endian. What is not this machine's own
# architecture is emulated by qemu-user; what cannot be had is skipped, and named.
#
#   tools/determinism.sh [STEPS]
set -euo pipefail
cd "$(dirname "$0")/.."
steps=${1:-1000000} here=$(go env GOHOSTARCH) folder=$(mktemp -d) differs=0
trap 'rm -rf "$folder"' EXIT

for machine in amd64:v1:x86_64 amd64:v3:x86_64 386::i386 arm64::aarch64 s390x::s390x; do
	IFS=: read -r arch level cpu <<<"$machine"
	emulator=$(command -v "qemu-$cpu" || command -v "qemu-$cpu-static" || true)
	if [ "$arch" = "$here" ] || [ "$arch $here" = "386 amd64" ]; then
		emulator=
		if [ "$level" = v3 ] && ! grep -qw avx2 /proc/cpuinfo; then
			echo "$arch $level: skipped, this processor lacks what it needs"
			continue
		fi
	elif [ -z "$emulator" ]; then
		echo "$arch $level: skipped, qemu-$cpu is not installed: apt-get install qemu-user"
		continue
	fi
	for package in env/catalog cmd/pommego; do
		[ "$arch/$package" != s390x/cmd/pommego ] || continue
		all=$folder/${package##*/}
		GOARCH=$arch GOAMD64=$level go test "./$package" -pgo=off ${emulator:+-exec "$emulator"} -run '^TestDeterminism' -count 1 \
			-determinism-steps "$steps" -timeout 600m -v >"$folder/log" || { cat "$folder/log"; exit 1; }
		grep -oE '[^ ]* [^ ]* hash [0-9a-f]{16}' "$folder/log" >"$folder/hashes"
		[ -e "$all" ] || cp "$folder/hashes" "$all"
		echo "$arch $level: $steps steps of $package: $(tail -n 1 "$folder/hashes" | grep -oE '[0-9a-f]{16}')"
		diff "$all" "$folder/hashes" || differs=1
	done
done
exit $differs
