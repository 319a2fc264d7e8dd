#!/usr/bin/env bash
# Makes and tries a release, and then its commit and tag: docs/maintainers/release.md. All is built in clones;
# if anything fails, there is no commit and no tag. A run that was stopped goes on with the step that it was in.
#
#   tools/release.sh VERSION
set -euo pipefail
cd "$(dirname "$0")/.."
version=${1:-} branch=$(git symbolic-ref --short HEAD) head=$(git rev-parse HEAD) here=$PWD
fail() { echo "release: $*" >&2; exit 1; }

[ "$version" = "$(cat cmd/pommego/version.txt)" ] ||
	fail "VERSION is '$version', but cmd/pommego/version.txt says $(cat cmd/pommego/version.txt)"
[ -z "$(git status --porcelain)" ] || fail "there are changes that are not committed: $(git status --short | head -3)"
! git rev-parse --quiet --verify "refs/tags/v$version" >/dev/null || fail "the tag v$version exists already"
[ "$(grep -cx "## $version (not released yet)" CHANGELOG.md)" = 1 ] ||
	fail "CHANGELOG.md has no heading '## $version (not released yet)'"

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
date=$(date --utc --date "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
export SOURCE_DATE_EPOCH GIT_AUTHOR_DATE=$date GIT_COMMITTER_DATE=$date
work=$here/dist/release-work/$version-$head out=$here/dist/release
mkdir -p "$work"

step() { # NAME: run the function, once
	[ ! -e "$work/$1.done" ] || return 0
	echo "release: $1, $(date +%T)"
	(set -e; "$1") || fail "$1 failed: mend it, and run this again"
	touch "$work/$1.done"
}

clone() { # FROM TO, with the tools of this checkout
	rm -rf "$2"
	git clone --quiet --config user.name="$(git config user.name)" --config user.email="$(git config user.email)" "$1" "$2"
	mkdir "$2/bin"
	ln -s "$here/bin/tools" "$2/bin/tools"
	ln -s "$here/.venv" "$here/.venv-tools" "$2"
	touch bin/tools/.ready .venv/.ready .venv-tools/bin/.ready # they are those of the same commit
}

cut() {
	clone "$here" "$work/one"
	sed -i "s/^## $version (not released yet)\$/## $version (${date%T*})/" "$work/one/CHANGELOG.md"
	git -C "$work/one" commit --quiet --all --message "Release $version"
	clone "$work/one" "$work/two"
}
agree() { make --no-print-directory -C "$work/one" build && in_one -m pytest python_client/tests/test_release.py -k agree; }
in_one() { (cd "$work/one" && PYTHONPATH=python_client/src .venv/bin/python "$@"); }
first() { make --no-print-directory -C "$work/one" wheels image sbom; }
second() {
	GOCACHE=$work/cache make --no-print-directory -C "$work/two" wheels image sbom
	rm -rf "$work/cache"
}
compare() { diff -r "$work/one/dist" "$work/two/dist"; }
docs() { in_one docs/site.py; }

collect() {
	rm -rf "$out"
	mkdir -p "$out"
	cp "$work"/one/dist/pommego-* tools/verify.py "$out"
	tar -C "$work/one" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 -czf "$out/pommego-$version-docs.tar.gz" site
	cd "$out"
	{ cat "$here/python_client/requirements/client.txt"; echo "pommego==$version \\"
	sha256sum -- *.whl | sed -E 's/^(\S+).*/    --hash=sha256:\1 \\/; $s/ \\$//'; } >"pommego-$version-requirements.txt"
	sha256sum -- * >"$work/sums" && mv "$work/sums" SHA256SUMS
	"$here/.venv/bin/python" "$here/tools/release.py" state "$version" "$out" "$(git -C "$work/one" rev-parse HEAD)"
}
rehearse_user() { make --no-print-directory rehearsal; }
rehearse_go() { make --no-print-directory -C "$work/one" module-proxy; }

make --no-print-directory venv .venv-tools/bin/.ready bin/tools/.ready
for name in cut agree first second compare docs collect rehearse_user rehearse_go; do step $name; done

[ "$(git rev-parse HEAD)" = "$head" ] && [ -z "$(git status --porcelain)" ] || fail "the checkout has changed in the meantime"
git fetch --quiet "$work/one" HEAD
git tag --annotate "v$version" --message "pommego $version" FETCH_HEAD
git merge --quiet --ff-only FETCH_HEAD || { git tag --delete "v$version"; fail "the commit does not fit on $branch"; }
echo "release: v$version is in dist/release, committed and tagged; to publish it: git push origin $branch v$version"
