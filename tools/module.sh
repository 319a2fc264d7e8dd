#!/usr/bin/env bash
# Copies the repository's last commit under another module path, and makes a module proxy of the copy: go get and go
# install work from it as they will from the project's home.
#
#     tools/module.sh example.org/pommego FOLDER
#
# FOLDER/copy is a clone with one commit more, FOLDER/proxy has the layout of GOPROXY. The checkout stays as it is. The
# module path stands in go.mod files and imports, and the address of a home, if it is one, in four lines.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# = 2 ] || { echo "usage: $0 PATH FOLDER, with a path such as example.org/pommego" >&2; exit 2; }
export FROM TO=$1 AFTER WAS LINE
FROM=$(go list -m) copy=$2/copy version=v$(cat cmd/pommego/version.txt) committed=$(git log -1 --format=%cI)
git clone --quiet . "$copy"
mkdir -p "$2/proxy"
cd "$copy"

git ls-files -z '*.go' '*go.mod' '*.md' |
	xargs -0 perl -pi -e 's{^(module |(?:import |\t)(?:\w+ )?")\Q$ENV{FROM}\E((?:/[\w/]+)?"?)$}{$1$ENV{TO}$2}'
home() { # FILE, the line after which the address stands, its line
	AFTER=$2 WAS=${3/@/https://$FROM} LINE=${3/@/https://$TO}
	grep -qxF -- "$AFTER" "$1" || { echo "$0: $1 has no line '$AFTER'" >&2; exit 1; }
	perl -ni -e 'print if $_ ne "$ENV{WAS}\n"; print "$ENV{LINE}\n" if $_ eq "$ENV{AFTER}\n" && $ENV{TO} =~ /\./' "$1"
}
home CITATION.cff 'license: Apache-2.0' 'repository-code: "@"'
home codemeta.json '{' '  "codeRepository": "@",'
home docs/mkdocs.yml 'docs_dir: pages' 'repo_url: @'
home python_client/pyproject.toml '[project.urls]' 'Repository = "@"'
git -c user.name=pommego -c user.email=pommego commit --quiet --all --message "Rename the module to $TO"
echo "module $TO: a copy in $copy"

[[ $TO = *.* ]] || exit 0 # a name without a dot, such as pommego, resolves nowhere
cd - >/dev/null
files=$2/proxy/$(perl -e 'print $ENV{TO} =~ s/([A-Z])/!\l$1/gr')/@v
mkdir -p "$files"
echo "$version" >"$files/list"
echo "{\"Version\": \"$version\", \"Time\": \"$committed\"}" >"$files/$version.info"
cp "$copy/go.mod" "$files/$version.mod"
git -C "$copy" archive --format=zip --prefix="$TO@$version/" HEAD . ':!tools' >"$files/$version.zip" # tools is a module
echo "a module proxy in $2/proxy"
