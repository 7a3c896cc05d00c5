# What one does with edge-agent; `make` alone lists it. Everything is built by SwiftPM.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:

JOBS ?= $(shell nproc)
# On a terminal the whole of a command hears Ctrl-C; elsewhere the time limit ends the whole of it.
TIMEOUT := timeout -k 30 $(shell test -t 0 && echo --foreground)
# A crash ends at once with a message; the backtracer may hang.
export SWIFT_BACKTRACE := enable=no
ONLY_THESE = $(if $(ONLY),--filter '^($(ONLY))\.')
# A release leaves out looks at each access whether another one is under way, and at each entry into an actor's code
# whether it runs there: a twentieth of what a command costs. The tests' builds have them; what they find is an error
# of ours, and a trap.
UNCHECKED := -Xswiftc -enforce-exclusivity=unchecked -Xswiftc -Xfrontend -Xswiftc -disable-dynamic-actor-isolation
RELEASE = swift build -j $(JOBS) -c release $(UNCHECKED)
# All tests at once would only wait for one another.
WIDTH := --experimental-maximum-parallelization-width 6
# SECONDS, for chaos, soak and fuzz: how long. Chaos also takes a seed (default: another each time) and faults to leave out.
CHAOS := Tests/Chaos/run $(if $(SEED),--seed $(SEED)) $(if $(WITHOUT),--without $(WITHOUT))

.PHONY: help deps build release deb package container test cases chaos chaos-short test-ha test-tsan test-asan coverage bench bench-quick soak fuzz lint format demo lab clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{ printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: ## install missing Debian packages, look for Swift
	@deploy/demo/prepare

build: deps ## build edge-agent and bluez-simulator for development, in .build/debug
	$(TIMEOUT) 1800 swift build -j $(JOBS) --product edge-agent
	$(TIMEOUT) 600 swift build -j $(JOBS) --product bluez-simulator

release: deps ## build edge-agent optimised, with the Swift libraries inside, in .build/release
	$(TIMEOUT) 1800 $(RELEASE) --static-swift-stdlib --product edge-agent

deb: release ## make the Debian package of it, in .build/package
	deploy/package/build

package: deb ## install, upgrade and purge it in a clean Debian root, and let it work there (as root)
	$(TIMEOUT) 1800 $(RELEASE) --static-swift-stdlib --product bluez-simulator
	@status=0; $(TIMEOUT) 1800 Tests/Package/run || status=$$?; \
	if [ $$status = 69 ] && [ -n "$${CI:-}" ]; then echo "package: LEFT OUT, for want of root, debootstrap or a mirror"; exit 0; fi; \
	exit $$status

container: deb ## make a container image of it, and let it work there (as root)
	$(TIMEOUT) 1800 $(RELEASE) --static-swift-stdlib --product bluez-simulator
	@status=0; $(TIMEOUT) 1800 Tests/Package/container || status=$$?; \
	if [ $$status = 69 ] && [ -n "$${CI:-}" ]; then echo "container: LEFT OUT"; exit 0; fi; \
	exit $$status

test: deps ## build everything, imports checked against the manifest, run all tests and a minute of chaos
	$(TIMEOUT) 1800 swift build -j $(JOBS) --build-tests --explicit-target-dependency-import-check error
	$(TIMEOUT) 2400 Tests/Checks/suite --skip-build $(WIDTH)
	@$(MAKE) --no-print-directory chaos-short

chaos: build ## everything dies and returns at random: SECONDS=n SEED=n WITHOUT=agent,disk
	$(TIMEOUT) $$(($(or $(SECONDS),300) + 400)) $(CHAOS) --seconds $(or $(SECONDS),300)

chaos-short: ## a minute of it, with what is built
	$(TIMEOUT) 460 $(CHAOS) --seconds 60

cases: ## the reported cases and their tests, which have to be built; fails where one is missing
	$(TIMEOUT) 900 Tests/Checks/cases

test-ha: build ## test it with a real Home Assistant, which is downloaded once
	@status=0; $(TIMEOUT) 1800 Tests/HomeAssistant/setup || status=$$?; \
	if [ $$status = 69 ] && [ -n "$${CI:-}" ]; then echo "test-ha: LEFT OUT, for want of the Python that Home Assistant needs"; exit 0; fi; \
	[ $$status = 0 ] || exit $$status; \
	$(TIMEOUT) 600 Tests/HomeAssistant/run

# Random walks compute ten times as long under a sanitizer, and find what it looks for in a fifth of their rounds; no
# more of them is needed to reach each line.
test-tsan test-asan coverage: export EDGE_AGENT_TEST_ROUNDS ?= 20

test-tsan: deps ## run all tests under the thread sanitizer; ONLY='Target|Target': those of some targets
	TSAN_OPTIONS="suppressions=$(CURDIR)/Tests/Checks/thread-sanitizer.supp" \
	$(TIMEOUT) 3600 Tests/Checks/suite -j $(JOBS) $(WIDTH) --disable-xctest --sanitize=thread --scratch-path .build-tsan $(ONLY_THESE)

test-asan: deps ## run all tests under the address sanitizer; ONLY as well
	ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=2 \
	$(TIMEOUT) 3600 Tests/Checks/suite -j $(JOBS) $(WIDTH) --disable-xctest --sanitize=address --scratch-path .build-asan $(ONLY_THESE)

coverage: deps ## run all tests with coverage; fails where too little is reached
	$(TIMEOUT) 2700 Tests/Checks/coverage

bench: release ## measure the agent beside the floor and the peer, the queue, the journal: half an hour
	Tests/Bench/Rig/run
	$(TIMEOUT) 1800 $(RELEASE) --product queue-bench
	$(TIMEOUT) 600 .build/release/queue-bench
	$(TIMEOUT) 1800 $(RELEASE) --product journal-bench
	$(TIMEOUT) 600 .build/release/journal-bench

bench-quick: ## one short round of that, with what is built: two minutes
	$(TIMEOUT) 300 Tests/Bench/Rig/run --quick

soak: release ## keep it busy, and look whether anything grows: SECONDS=n (default 1200)
	$(TIMEOUT) $$(($(or $(SECONDS),1200) + 300)) Tests/Bench/Rig/soak --seconds $(or $(SECONDS),1200)

fuzz: deps ## hostile inputs of all kinds: SECONDS=n for each (default 60), RUNS=n instead, KINDS="command dbus"
	$(TIMEOUT) 86400 Tests/Fuzz/run $(if $(RUNS),--runs $(RUNS),--seconds $(or $(SECONDS),60)) $(KINDS)

lint: deps ## check format, imports, banned words, lengths
	Tests/Checks/lint --self-test
	Tests/Checks/lint
	Tests/Chaos/run --self-test
	swift format lint --strict --recursive Sources Tests Package.swift

format: ## format all Swift files in place
	swift format --in-place --recursive Sources Tests Package.swift

demo: ## show it at work with simulated devices; KEEP=1 PORT=n REAL=1 DEVICE=address
	@deploy/demo/run

lab: build ## test it with a real bluetoothd and virtual radios (as root)
	$(TIMEOUT) 1800 Tests/Lab/run .build/debug/edge-agent

clean: ## remove what was built
	rm -rf .build .build-tsan .build-asan .build-coverage .build-fuzz
