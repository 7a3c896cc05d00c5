"""python -m radio: puts the adapters and devices on the air until it is told to end."""
import argparse
import asyncio
import logging
import signal
import sys

from . import catalogue, control
from .air import Air
from .controllers import Adapter

# Adapters that only `labctl radio plug` brings in.
SPARE_ADAPTERS = 1


def arguments():
    parser = argparse.ArgumentParser(prog="radio", description=__doc__)
    parser.add_argument("--adapters", type=int, default=1, metavar="N")
    parser.add_argument("--only", type=lambda text: text.split(","), metavar="KEY,KEY")
    parser.add_argument("--control", metavar="PATH", help="socket for labctl")
    parser.add_argument("--beat", type=float, default=0.2, metavar="S", help="between heart rates")
    parser.add_argument("--interval", type=float, default=100, metavar="MS", help="between advertisements")
    parser.add_argument("--debug", action="store_true", help="log each HCI packet")
    return parser.parse_args()


async def run(options):
    air = Air()
    adapters = [Adapter(index, air, f"00:AA:01:00:00:{index + 1:02X}")
                for index in range(options.adapters + SPARE_ADAPTERS)]
    for adapter in adapters[:options.adapters]:
        adapter.plug()
    devices = catalogue.build(air, options, options.only)
    server = await control.serve(options.control, devices, adapters) if options.control else None
    for device in devices.values():
        await device.start()
    logging.getLogger("radio").info("%d devices are on the air", len(devices))
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    await ended.wait()
    if server:
        server.close()


def main():
    options = arguments()
    logging.basicConfig(level=logging.DEBUG if options.debug else logging.INFO,
                        format="%(relativeCreated)9d %(name)s %(message)s")
    if not options.debug:
        logging.getLogger("bumble").setLevel(logging.WARNING)
    try:
        asyncio.run(run(options))
    except ValueError as mistake:
        sys.exit(f"radio: {mistake}")


main()
