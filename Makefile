# What others call: build, venv, demo, test, lint, bench. All are quick when
# nothing has changed.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= python3
PY     := .venv/bin/python
PIP    := -m pip install --quiet --disable-pip-version-check
LOCKED := python_client/requirements
TOOLS  := .venv-tools/bin
# Every file, as some are embedded; in benchmarks none is.
GO_SRC := $(shell find env arena llm vec bridge internal cmd benchmarks/*.go -type f -not -name '*_test.go' -not -path '*/testdata/*' 2>/dev/null)
TRACES := $(wildcard env/*/testdata/traces)

export CGO_ENABLED ?= 0

# Every target with a comment.
.PHONY: $(shell sed -En 's/^([a-z-]+):.*\#\#.*/\1/p' $(MAKEFILE_LIST))

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

build: bin/pommego ## build bin/pommego

bin/pommego: $(GO_SRC) go.mod go.sum
	go build -trimpath -o $@ ./cmd/pommego

venv: .venv/.ready ## make .venv with the client and its test requirements

# All packages are those of the lock files, by their hashes; `make lock` makes these.
.venv/.ready: $(LOCKED)/test.txt python_client/pyproject.toml cmd/pommego/version.txt
	$(PYTHON) -m venv .venv
	$(PY) $(PIP) --require-hashes -r $(LOCKED)/test.txt
	$(PY) $(PIP) --no-deps --no-build-isolation -e python_client
	touch $@

demo: build venv ## step 1024 games from Python, and show a game between simple agents
	$(PY) -m pommego.bench
	bin/pommego play --agents simple --seed 8

# To compile takes the processors, to install mostly the network.
test: ## run everything but what needs Chromium (test-browser) or gigabytes (test-integrations)
	$(MAKE) --jobs 2 build venv
	$(MAKE) lint verify test-go test-race test-python

# Without the profile, as test-go, or both would compile everything once more for it.
lint: venv ## gofmt, vet, staticcheck, ceilings on lines, ruff, bandit
	@unformatted=$$(gofmt -l env arena llm vec bridge internal cmd benchmarks); \
	if [ -n "$$unformatted" ]; then echo "not gofmt-ed: $$unformatted"; exit 1; fi
	go vet -pgo=off ./...
	GOFLAGS="$$(go env GOFLAGS) -pgo=off" go tool staticcheck ./...
	@go test -vet=off ./internal -run '^TestCeilings$$' -count 1 -v | grep -v '^=== RUN'
	$(PY) -m ruff check python_client benchmarks docs tools
	$(PY) -m ruff format --check python_client benchmarks docs tools
	$(PY) -m bandit --quiet --recursive --configfile python_client/pyproject.toml python_client/src python_client/hatch_build.py benchmarks docs tools

verify: build ## replay the recorded games
	bin/pommego verify $(TRACES)
	go run ./internal/oracle internal/oracle/testdata

# One more package or file than there are processors, as some tests wait; of those of a Go package that do, eight.
BESIDE := $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 1)))

# Without the profile, for which go test would compile everything a second time, and without vet, which lint runs.
test-go: ## Go tests
	go test -p $(BESIDE) -parallel 8 -pgo=off -vet=off ./...

# The race detector needs cgo. Short tests: it slows games down tenfold.
test-race: ## Go tests of what runs in parallel, under the race detector
	@if ! command -v $$(go env CC) >/dev/null; then \
		echo "no C compiler ($$(go env CC)): the race detector needs one, skipping"; exit 0; fi; \
	CGO_ENABLED=1 go test -race -vet=off -short ./vec ./bridge ./arena/trace ./arena/tournament

# Files side by side, each of them in order and in one process: NumPy's threads would only wait for processors.
# All tests that open Chromium, and no others, are in files with this name.
IN_CHROMIUM := python_client/tests/test_browser*.py

test-python: build venv ## Python tests, on real sockets and processes; those in Chromium are test-browser's
	OPENBLAS_NUM_THREADS=1 $(PY) -m pytest -n $(BESIDE) --maxprocesses 4 --dist loadfile --ignore-glob='$(IN_CHROMIUM)' python_client/tests benchmarks

# Needs Node, which make test does without.
TYPESCRIPT := typescript@5.9.3

lint-js: ## check the page's JavaScript with TypeScript's compiler: apt-get install npm
	npx --yes --package $(TYPESCRIPT) -- tsc --project arena/web/jsconfig.json

test-browser: build venv ## Python tests in Chromium, of every id: apt-get install chromium chromium-driver
	@for program in chromium chromedriver; do command -v $$program >/dev/null || \
		{ echo "$$program is not installed: apt-get install chromium chromium-driver"; exit 1; }; done
	$(PY) -m pytest $(IN_CHROMIUM) --all-pages

# In an environment of its own: PyTorch, Ray and the like have gigabytes.
INTEGRATIONS ?= .venv-integrations

test-integrations: build $(INTEGRATIONS)/.ready ## Python tests of the adapters, with the frameworks themselves
	$(INTEGRATIONS)/bin/python -m pytest python_client/integration_tests
	$(INTEGRATIONS)/bin/python -m pytest -W default python_client/tests/test_docs.py

# By uv: the pip of Python 3.11 refuses this lock file, as packages ask for pydantic[email] and it has pydantic.
$(INTEGRATIONS)/.ready: $(LOCKED)/integrations.txt python_client/pyproject.toml cmd/pommego/version.txt $(TOOLS)/.ready
	$(PYTHON) -m venv $(INTEGRATIONS)
	$(TOOLS)/uv pip install --quiet --python $(INTEGRATIONS)/bin/python --require-hashes -r $(LOCKED)/integrations.txt
	$(INTEGRATIONS)/bin/python $(PIP) --no-deps --no-build-isolation -e python_client
	touch $@

# The original needs a Python of its own: REFERENCE names that, where `import pommerman`
# works. It is to be 3.10: the comparison needs no less, and the original no more. ARGS="--steps 3000" is quick.
test-reference: build venv ## play in lock step with the original, REFERENCE=/path/to/its/python, half an hour
	@if [ -z "$(REFERENCE)" ] || ! "$(REFERENCE)" -W ignore -c 'import pommerman' >/dev/null 2>&1; then \
		echo "the original is not installed for REFERENCE='$(REFERENCE)': skipping"; exit 0; fi; \
	$(PY) python_client/tests/reference/lockstep.py --reference "$(REFERENCE)" $(ARGS)

bench: build venv ## measure speed
	bin/pommego bench
	$(PY) -m pommego.bench

bench-report: build venv ## measure all of it into benchmarks/results, 40 minutes; ARGS="--quick": two
	$(PY) benchmarks/report.py $(ARGS)

bench-compare: build venv ## measure another revision beside the working tree, in turns, REV=v1.2; ARGS="--parts go --only rules/"
	$(PY) benchmarks/report.py --against $(REV) $(ARGS)

docs: build venv ## write the games' pages in docs/games, and build the site of guide and API reference in site/
	$(PY) docs/generate.py
	$(PY) docs/site.py

wheel: $(TOOLS)/.ready ## build this platform's wheel into dist/
	$(TOOLS)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist ./python_client

PLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

# The first build for a platform compiles everything, some minutes each.
wheels: $(TOOLS)/.ready archives ## build the wheels of all platforms into dist/
	version=$$(cat cmd/pommego/version.txt); for target in $(PLATFORMS); do \
		POMMEGO_SBOM=$(CURDIR)/dist/pommego-$$version-$${target/\//-}.cdx.json POMMEGO_TARGET=$$target $(TOOLS)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist ./python_client; \
	done

# The compiler lays out what the benchmark does most often (profile-guided
# optimisation): some 10 % faster. Worth doing again after larger changes.
profile: ## record cmd/pommego/default.pgo, by which the binary is optimised
	go test ./benchmarks -run '^$$' -bench . -benchtime 4s -o bin/benchmarks.test -cpuprofile cmd/pommego/default.pgo

pictures: build venv ## record the game that the README shows, docs/images/game.gif, and the pages in Chromium
	rm -f docs/images/game.*
	bin/pommego play --agents simple --seed 8 --quiet --record docs/images/game.jsonl.gz
	bin/pommego replay docs/images/game.jsonl.gz --gif docs/images/game.gif --fps 8 --tile 30
	$(PY) docs/pictures.py

# The environment, the SimpleAgent of its time, whether the paper's agents are careful, the budget, and the number of games.
SEARCHES := fmcs-exploit fmcs-explore fmcs-ucb1 fmcs-random bfs mcts
comma := ,
HYBRID = bin/pommego tournament --env $(1) --format one-against-three --against $(2) --games $(5) --seed 1 $\
	--agents $(subst $() ,$(comma),$(SEARCHES:%=%:$(strip $(4)),$(3)) heuristic:$(3) $(2)) $\
	--out runs/hybrid_search/$(subst $(comma),-,$(subst =,,$(1)-$(3)-$(4)-games$(5))) $(ARGS) >/dev/null

hybrid-search: build ## play the hybrid search paper's experiment, hours; ARGS="--games 20": minutes
	mkdir -p runs/hybrid_search
	$(call HYBRID,PommeFFA2018-v0,simple-2018,careful=0,ticks=2000,300)
	$(call HYBRID,PommeFFA2018-v0,simple-2018,careful=1,ticks=2000,300)
	$(call HYBRID,PommeFFA2018-v0,simple-2018,careful=0,ticks=30,300)
	$(call HYBRID,PommeFFA2018-v0,simple-2018,careful=1,ticks=30,300)
	$(call HYBRID,PommeFFACompetition-v0,simple,careful=0,ticks=2000,300)
	$(call HYBRID,PommeFFACompetition-v0,simple,careful=1,ticks=2000,300)
	$(call HYBRID,PommeFFACompetition-v0,simple,careful=0,ticks=30,300)
	$(call HYBRID,PommeFFACompetition-v0,simple,careful=1,ticks=30,300)
	$(call HYBRID,PommeFFA2018-v0,simple-2018,careful=0,ms=100,60)
	$(call HYBRID,PommeFFA2018-v0,simple-2018,careful=0$(comma)allbombs=1,ms=100,60)
	$(call HYBRID,PommeFFA2018-v0,simple-2018,careful=1,ms=100,28)

# Of all agents there would be too many tables of four, and by radio most play as they do without.
SOME   := simple,heuristic,mcts:ticks=2000,fmcs-exploit:ticks=2000,java-rhea,java-mcts,champion:level=1,champion:level=5
RATED  := $(SOME),random,osla,rhea:ticks=2000,bfs:ticks=2000,uct:ticks=2000,fmcs-ucb1:ticks=2000,champion:level=2,$\
	champion:level=3,champion:level=4
RATING  = bin/pommego tournament --mirrored --games 100 --env $(1) --agents $(2) --out runs/ratings/$(1) $(ARGS) >/dev/null

ratings: build ## rate the built-in agents in four kinds of games, hours, and go on after a stop; ARGS="--games 20": minutes
	mkdir -p runs/ratings
	$(call RATING,PommeFFACompetition-v0,$(SOME) --format round-robin)
	$(call RATING,PommeTeamCompetition-v0,$(RATED))
	$(call RATING,PommeRadioCompetition-v2,$(SOME))
	$(call RATING,OneVsOne-v0,$(RATED) --format round-robin)
	cd runs/ratings; tail -n +1 */results.md */timing.md >ratings.md

determinism: ## 10 million steps: the same bytes for any number of workers, and over the socket
	go test ./cmd/pommego -run TestDeterminismEverywhere -determinism-steps 10000000 -timeout 60m -v

determinism-architectures: ## a million steps on amd64 (v1, v3), 386, arm64 and s390x, each as it can be had: apt-get install qemu-user
	tools/determinism.sh $(ARGS)

# There is no machine with these systems: nothing is run.
systems: ## compile program and tests for Windows and macOS, ten minutes the first time
	for system in windows darwin; do GOOS=$$system go vet ./...; GOOS=$$system go build -pgo=off -o /dev/null ./cmd/pommego; done

test-32-bit: ## Go tests as a 32-bit program, on x86
	GOARCH=386 go test -pgo=off ./...

imitation: build venv ## teach a network a million decisions of simple; runs/imitation/progress.jsonl
	$(PY) python_client/examples/imitation.py $(ARGS)

test-dataset-soak: ## generate under 200 SIGKILLs and every disk fault, 1,000 damaged files: some minutes
	go test ./cmd/pommego -run 'TestGenerate(Killed|DiskTrouble)' -generate-kills 100 -timeout 120m -v
	go test ./arena/dataset -run 'Test(DamageIsFound|DamageDoesNotPanic|CrashAtEveryOperation|CrashAgainAndAgain|WriteErrors|MergeFaults)' -damages 500 -crash-stride 1 -timeout 60m -v

forecasts: ## 100,000 positions in which Pommerman's fire and safe moves are foreseen, and compared; ARGS="-forecasts 1000000"
	go test ./env/pommerman -run 'Fore|SafetyAgrees' -forecasts 100000 $(ARGS) -count 1 -timeout 60m -v

invariants: ## 10 million random steps of each sister game, every one checked
	go test ./env/basewar ./env/suitebot -run '^TestInvariants$$' -invariant-steps 10000000 -timeout 60m -v

# What docs/maintainers/reliability.md counts; the short forms are part of test.
schedules: ## 10,000 seeded schedules of a client that loses its connection and replays, on a clock of their own
	go test ./bridge -run TestSchedules -schedules 10000 -count 1 -timeout 60m

vanishing: ## 1,000 clients that vanish with environments, in the middle of steps and messages
	go test ./bridge -run TestVanishingClients -vanishing 1000 -count 1 -timeout 60m

FRAMES ?= 100000
SEED   ?= 1

hostile: ## 100,000 hostile frames and messages beside a client that behaves, and what it loses; FRAMES=10000000 SEED=1: half an hour
	go test ./bridge -run Hostile -hostile-frames $(FRAMES) -hostile-seed $(SEED) -hostile-pairs 100 -count 1 -timeout 240m -v | grep -v -- '--- PASS\|=== RUN'

faults: build venv ## 1,000 connections cut, reset, silenced, delayed and sliced, some minutes
	POMMEGO_FAULTS=1000 $(PY) -m pytest -s python_client/tests/test_replace.py -k test_faults

KILLS   ?= 1000
MINUTES ?= 60

kills: build venv ## 1,000 cycles of killed and stopped servers, clients and parents, and of limits that are reached
	POMMEGO_KILLS=$(KILLS) $(PY) -m pytest -s python_client/tests/test_kills.py

soak: build venv ## 200 clients that come and go for MINUTES=60
	POMMEGO_SOAK=$(MINUTES) $(PY) -m pytest -s python_client/tests/test_soak.py

# kosoku has Autobahn's cases, and another program to run them with.
autobahn: build .venv/.autobahn ## the WebSocket test suite Autobahn against the server, and against the Python client
	go test ./bridge -run TestAutobahn -autobahn $(CURDIR)/.venv/bin/kosoku -count 1 -v
	$(PY) -m pytest -s python_client/tests/test_autobahn.py

.venv/.autobahn: .venv/.ready
	$(PY) $(PIP) kosoku==0.1.0
	touch $@

reproducible: ## build the last commit twice, in two folders, once with an empty cache, and compare the bytes
	folder=$$(mktemp -d); trap 'rm -rf "$$folder"' EXIT; \
	for copy in one two; do git clone --quiet . "$$folder/$$copy"; done; \
	(cd "$$folder/one" && go build -trimpath -o ../first ./cmd/pommego); \
	(cd "$$folder/two" && GOCACHE="$$folder/cache" go build -trimpath -o ../second ./cmd/pommego); \
	cmp "$$folder/first" "$$folder/second"; sha256sum "$$folder/first" | cut -c1-64

TO ?= example.org/pommego

module-path: ## rename the Go module in a copy, dist/module, and test it there, some minutes: TO=example.org/pommego
	rm -rf dist/module dist/module-back
	tools/module.sh $(TO) dist/module
	cd dist/module/copy && tools/module.sh $$(cd ../../.. && go list -m) ../../module-back && \
		git -C ../../module-back/copy diff --quiet HEAD~2
	cd dist/module/copy && test -z "$$(gofmt -l .)" && go build -pgo=off ./... && go vet ./... && \
		go test -pgo=off ./internal ./env ./env/search

module-proxy: module-path ## go get, go install and a program that trains, with the proxy of that copy alone
	go test ./internal -run '^TestProxy$$' -proxy $(CURDIR)/dist/module/proxy -module $(TO) -count 1 -v -timeout 30m

api: venv ## write the lists of public names, internal/testdata/api.txt and python_client/tests/testdata/api.txt
	go test ./internal -run '^TestPublicNames$$' -count 1 -update
	$(PY) -m pytest python_client/tests/test_api.py --update

FUZZTIME ?= 60s
ATHERIS  := .venv-fuzz

fuzz: ## fuzz everything in Go that has a fuzz target, FUZZTIME=60s each
	for pkg in $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u); do \
		for target in $$(grep -hoE '^func Fuzz[A-Za-z0-9]+' $$pkg/*_test.go | cut -c6-); do \
			go test ./$$pkg -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 5x; \
		done; \
	done

# Coverage-guided, by atheris, of which there are builds for CPython 3.11 to 3.13 on x86-64.
fuzz-python: build $(ATHERIS)/.ready ## fuzz the client's decoders, FUZZTIME=60s each
	for target in $$($(PY) -c 'import sys; sys.path.insert(0, "python_client/tests"); import decoders; print(*decoders.TARGETS)'); do \
		$(ATHERIS)/bin/python python_client/tests/decoders.py $$target runs/fuzz/$$target \
			-max_total_time=$(FUZZTIME:s=) -timeout=60 -rss_limit_mb=4096 -print_final_stats=1; \
	done

$(ATHERIS)/.ready: $(LOCKED)/fuzz.txt .venv/.ready
	$(PYTHON) -m venv $(ATHERIS)
	$(ATHERIS)/bin/python $(PIP) --require-hashes -r $(LOCKED)/fuzz.txt
	$(ATHERIS)/bin/python $(PIP) --no-deps --no-build-isolation -e python_client
	touch $@

# What is shipped, and what it is made of: docs/maintainers/supply-chain.md.

bin/tools/.ready: tools/go.mod tools/go.sum
	GOBIN="$(CURDIR)/bin/tools" go -C tools install tool
	touch $@

$(TOOLS)/.ready: $(LOCKED)/tools.txt
	$(PYTHON) -m venv .venv-tools
	$(TOOLS)/python $(PIP) --require-hashes -r $<
	touch $@

COMPILE = $(TOOLS)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-package pommego \
	--custom-compile-command 'make lock' $(ARGS)

lock: $(TOOLS)/.ready ## write the lock files of Python packages, with hashes, for all systems; ARGS="--upgrade"
	cd python_client && ../$(COMPILE) --group tools -o requirements/tools.txt
	cd python_client && ../$(COMPILE) pyproject.toml -o requirements/client.txt
	cd python_client && ../$(COMPILE) pyproject.toml --extra test -o requirements/test.txt
	cd python_client && ../$(COMPILE) pyproject.toml --extra integrations -o requirements/integrations.txt
	cd python_client && ../$(COMPILE) pyproject.toml --group fuzz -o requirements/fuzz.txt

security: bin/tools/.ready ## check the public CI's workflow
	bin/tools/actionlint

notices: ## write python_client/THIRD_PARTY_NOTICES.txt, the licences of all that is linked
	go test ./cmd/pommego -run '^TestNotices$$' -count 1 -update

SBOM = bin/tools/cyclonedx-gomod bin -json -licenses -std -noserial -notimestamp -version "v$$(cat cmd/pommego/version.txt)"

sbom: build bin/tools/.ready $(TOOLS)/.ready ## list what program and client consist of, as CycloneDX, in dist/
	mkdir -p dist
	$(SBOM) -output dist/pommego.cdx.json bin/pommego
	$(TOOLS)/cyclonedx-py requirements --pyproject python_client/pyproject.toml --output-reproducible \
		--output-file dist/pommego-client.cdx.json $(LOCKED)/client.txt

archives: bin/tools/.ready ## pack the program for all platforms, with licence and notices, into dist/, beside its bill of materials
	version=$$(cat cmd/pommego/version.txt); for target in $(PLATFORMS); do \
		name=pommego-$$version-$${target/\//-}; mkdir -p dist/$$name; \
		GOOS=$${target%/*} GOARCH=$${target#*/} go build -trimpath -ldflags "-s -w" -o dist/$$name/ ./cmd/pommego; \
		GOOS=$${target%/*} GOARCH=$${target#*/} $(SBOM) -output dist/$$name.cdx.json dist/$$name/pommego*; \
		cp LICENSE python_client/THIRD_PARTY_NOTICES.txt README.md dist/$$name; \
		tar -C dist --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX -czf dist/$$name.tar.gz $$name; rm -r dist/$$name; \
	done

image: venv archives ## pack the container's image, an OCI layout for two architectures, into dist/
	$(PY) tools/release.py image $$(cat cmd/pommego/version.txt) dist $$(git log -1 --format=%cI)

release: ## build a release twice, try it, commit and tag it, half an hour: VERSION=0.2.0; docs/maintainers/release.md
	tools/release.sh $(VERSION)

rehearsal: venv $(TOOLS)/.ready ## check the release in dist/release, and do what its users do, without Go
	POMMEGO_RELEASE=$(CURDIR)/dist/release $(PY) -m pytest -s python_client/tests/test_release.py

supply-chain: security lock notices sbom reproducible ## all of it, which must leave no lock file or notice changed
	git diff --exit-code $(LOCKED) python_client/THIRD_PARTY_NOTICES.txt

clean: ## remove what was built
	rm -rf bin .venv .venv-tools $(ATHERIS) $(INTEGRATIONS)
