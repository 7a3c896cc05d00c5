#!/usr/bin/env python3
"""Checks a whole agent against real bluetoothd, over MQTT alone; runs in the lab's guest.

    run.py --agent PATH [--agent-log FILE] [--list] [NAME...]

Starts a broker and the agent, then runs the checks named (default: all), in their order.
One line each: "ok NAME SECONDS DETAIL" or "FAIL NAME SECONDS WHY"; then the count. Exit
status 1 when a check failed.
"""
import argparse
import sys
import time
import traceback

import faults
import gatt
import lifecycle
import links
import notifications
import pairing
import privileges
import scanning
import several
import silence
import standing
import transactions
import values
from bench import Bench
from contract import Broken

CHECKS = {function.__name__.replace("_", "-"): function
          for module in (privileges, scanning, links, values, gatt, notifications, pairing, transactions, faults,
                       lifecycle, standing, silence, several)
          for function in module.CHECKS}
# The last of all: what it looks for, any of the others may have caused.
CHECKS["nothing-refused"] = privileges.nothing_refused


def run_one(name, bench):
    began = time.monotonic()
    try:
        detail, verdict = CHECKS[name](bench), "ok"
        bench.require_agent()
        bench.gateway.require_single_results()
    except Exception as failure:  # any failure is the check's verdict, the others still run
        verdict, detail = "FAIL", f"{type(failure).__name__}: {failure}"
        if not isinstance(failure, Broken):
            traceback.print_exc()
    print(f"{verdict:4} {name:22} {time.monotonic() - began:7.2f} s  {detail or ''}", flush=True)
    if verdict == "FAIL":
        print(bench.agent_log_end(), file=sys.stderr, flush=True)
        bench.mend()
    return verdict == "ok"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agent", metavar="PATH", help="the edge-agent binary")
    parser.add_argument("--agent-log", metavar="FILE", help="where the agent's log goes")
    parser.add_argument("--list", action="store_true", help="print the names of the checks")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    if options.list:
        print(*CHECKS, sep="\n")
        return 0
    if unknown := set(options.names) - set(CHECKS):
        parser.error(f"no such check: {', '.join(sorted(unknown))}")
    if not options.agent:
        parser.error("--agent is missing")
    passed = failed = 0
    with Bench(options.agent, options.agent_log) as bench:
        for name in options.names or CHECKS:
            if run_one(name, bench):
                passed += 1
            else:
                failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
