#!/usr/bin/env bash
# Makes a release in clones, tries it, and only then commits and tags it: docs/maintainers/release.md.
# A run that failed or was stopped goes on with the step that it was in.
set -euo pipefail
cd "$(dirname "$0")/.."
version=${1:-} branch=$(git symbolic-ref --short HEAD) head=$(git rev-parse HEAD) here=$PWD now=
fail() { echo "release: $*" >&2; exit 1; }

[ "$version" = "$(cat cmd/pommego/version.txt)" ] ||
	fail "VERSION is '$version', but cmd/pommego/version.txt says $(cat cmd/pommego/version.txt)"
[ -z "$(git status --porcelain)" ] || fail "there are changes that are not committed: $(git status --short | head -3)"
! git rev-parse --quiet --verify "refs/tags/v$version" >/dev/null || fail "the tag v$version exists already"
[ "$(grep -cx "## $version (not released yet)" CHANGELOG.md)" = 1 ] ||
	fail "CHANGELOG.md has no heading '## $version (not released yet)'"

export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
date=$(date --utc --date "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
export GIT_AUTHOR_DATE=$date GIT_COMMITTER_DATE=$date MAKEFLAGS=--no-print-directory
export GOFLAGS=-buildvcs=auto # Go's default: programs name the tag, as those that others build from it do
work=$here/dist/release-work/$version-$head out=$here/dist/release

clone() { # FROM TO, with the tools of this checkout, which are those of the same commit
	rm -rf "$2"
	git clone --quiet --config user.name="$(git config user.name)" --config user.email="$(git config user.email)" "$1" "$2"
	mkdir "$2/bin"
	ln -s "$here/.venv" "$here/.venv-tools" "$2"; ln -s "$here/bin/tools" "$2/bin"
	touch bin/tools/.ready .venv/.ready .venv-tools/bin/.ready
}
cut() {
	clone "$here" "$work/one"
	sed -i "s/^## $version (not released yet)\$/## $version (${date%T*})/" "$work/one/CHANGELOG.md"
	git -C "$work/one" commit --quiet --all --message "Release $version"
	git -C "$work/one" tag --annotate "v$version" --message "pommego $version"
	clone "$work/one" "$work/two"
}
python() { (cd "$work/one" && PYTHONPATH=python_client/src .venv/bin/python "$@"); }
agree() {
	make -C "$work/one" build
	"$work/one/bin/pommego" version | grep -x "pommego $version"
	python -m pytest python_client/tests/test_release.py -k agree
}
build() { make -C "$work/$1" wheels image sbom; }
first() { build one; }
second() { GOCACHE=$work/cache build two; rm -rf "$work/cache"; }
compare() { diff -r "$work/one/dist" "$work/two/dist"; }
docs() { python docs/site.py; }
collect() {
	rm -rf "$out"; mkdir -p "$out"
	cp "$work"/one/dist/pommego-* tools/verify.py "$out"
	tar -C "$work/one" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 -czf "$out/pommego-$version-docs.tar.gz" site
	cd "$out"
	{ cat "$here/python_client/requirements/client.txt"; echo "pommego==$version \\"
	sha256sum -- *.whl | sed -E 's/^(\S+).*/    --hash=sha256:\1 \\/; $s/ \\$//'; } >"pommego-$version-requirements.txt"
	sha256sum -- * >"$work/sums"; mv "$work/sums" SHA256SUMS
	python tools/release.py state "$version" "$out" "$(git -C "$work/one" rev-parse HEAD)"
}
rehearse_user() { make rehearsal; }
rehearse_go() { make -C "$work/one" module-proxy; }

trap '[ $? = 0 ] || [ -z "$now" ] || echo "release: $now failed: mend it, and run this again" >&2' EXIT
make venv .venv-tools/bin/.ready bin/tools/.ready
mkdir -p "$work"
for now in cut agree first second compare docs collect rehearse_user rehearse_go; do
	[ ! -e "$work/$now.done" ] || continue
	echo "release: $now, $(date +%T)"
	($now)
	touch "$work/$now.done"
done
now=

[ "$(git rev-parse HEAD)" = "$head" ] && [ -z "$(git status --porcelain)" ] || fail "the checkout has changed in the meantime"
git fetch --quiet "$work/one" tag "v$version"
git merge --quiet --ff-only "v$version" || { git tag --delete "v$version"; fail "the commit does not fit on $branch"; }
echo "release: v$version is in dist/release, committed and tagged; to publish it: git push REMOTE $branch v$version"
