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
# All tests at once would only wait for one another.
WIDTH := --experimental-maximum-parallelization-width 6
# What make chaos takes: how long it storms, the seed (default: another each time), faults to leave out.
SECONDS ?= 300
CHAOS := Tests/Chaos/run $(if $(SEED),--seed $(SEED)) $(if $(WITHOUT),--without $(WITHOUT))
SANITIZED := EventLoopTests|DBusTests|MQTTTests|BleCoreTests|TaskQueueTests|JournalTests

.PHONY: help deps build release deb package test cases chaos chaos-short test-tsan bench lint format demo lab clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{ printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: ## install missing Debian packages, look for Swift
	@deploy/demo/prepare

build: deps ## build edge-agent and bluez-simulator for development, in .build/debug
	$(TIMEOUT) 1800 swift build -j $(JOBS) --product edge-agent
	$(TIMEOUT) 600 swift build -j $(JOBS) --product bluez-simulator

release: deps ## build edge-agent optimised, with the Swift libraries inside, in .build/release
	$(TIMEOUT) 1800 swift build -j $(JOBS) -c release --static-swift-stdlib --product edge-agent

deb: release ## make the Debian package of it, in .build/package
	deploy/package/build

package: deb ## install, upgrade and purge it in a clean Debian root, and let it work there (as root)
	$(TIMEOUT) 1800 swift build -j $(JOBS) -c release --static-swift-stdlib --product bluez-simulator
	$(TIMEOUT) 1800 Tests/Package/run

test: deps ## build everything, imports checked against the manifest, run all tests and a minute of chaos
	$(TIMEOUT) 1800 swift build -j $(JOBS) --build-tests --explicit-target-dependency-import-check error
	$(TIMEOUT) 900 swift test --skip-build $(WIDTH)
	@$(MAKE) --no-print-directory chaos-short

chaos: build ## everything dies and returns at random: SECONDS=n SEED=n WITHOUT=agent,disk
	$(TIMEOUT) $$(($(SECONDS) + 400)) $(CHAOS) --seconds $(SECONDS)

chaos-short: ## a minute of it, with what is built
	$(TIMEOUT) 460 $(CHAOS) --seconds 60

cases: ## the reported cases and their tests, which have to be built; fails where one is missing
	$(TIMEOUT) 900 Tests/Checks/cases

test-tsan: deps ## run the tests of the concurrent parts under the thread sanitizer
	TSAN_OPTIONS="suppressions=$(CURDIR)/Tests/Checks/thread-sanitizer.supp" \
	$(TIMEOUT) 1800 swift test -j $(JOBS) $(WIDTH) --sanitize=thread --scratch-path .build-tsan --filter '^($(SANITIZED))\.'

bench: deps ## measure the queue as devices grow more, the journal, one dead device among others
	$(TIMEOUT) 1800 swift build -j $(JOBS) -c release --product queue-bench
	$(TIMEOUT) 600 .build/release/queue-bench
	$(TIMEOUT) 1800 swift build -j $(JOBS) -c release --product edge-agent
	$(TIMEOUT) 1800 swift build -j $(JOBS) -c release --product journal-bench
	$(TIMEOUT) 600 .build/release/journal-bench

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
	rm -rf .build .build-tsan
