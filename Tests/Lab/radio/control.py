"""The socket through which `labctl radio` steers devices and adapters.

One line of words in; out comes "ok" or "error: why" on the first line, then text.
"""
import asyncio
import logging

log = logging.getLogger("radio")


async def carry_out(words, devices, adapters):
    """The text that answers one command; raises for a command that makes no sense."""
    match words:
        case ["list"]:
            return "".join(f"{key}\t{device.address}\t{device.state}\t{device.rssi}\t{device.name}\n"
                           for key, device in devices.items())
        case ["log", key]:
            return "".join(f"{uuid} {data.hex()}\n" for uuid, data in devices[key].written)
        case ["drop" | "vanish" | "hide" | "show" | "forget" as action, key]:
            await getattr(devices[key], action)()
        case ["links", key]:
            return f"{devices[key].links}\n"
        case ["fault", key, "none" | "mute" | "flaky" as fault]:
            devices[key].fail(fault)
        case ["type", key, number]:
            devices[key].typed.put_nowait(int(number))
        case ["rssi", key, dbm]:
            devices[key].set_rssi(int(dbm))
        case ["plug" | "unplug" as action, number]:
            getattr(adapters[int(number)], action)()
        case _:
            raise ValueError(f"unknown command: {' '.join(words)}")
    return ""


async def serve(path, devices, adapters):
    async def answer(reader, writer):
        try:
            words = (await reader.readline()).decode().split()
            text = "ok\n" + await carry_out(words, devices, adapters)
        except Exception as failure:  # pylint: disable=broad-except
            log.exception("control")
            text = f"error: {failure!r}\n"
        writer.write(text.encode())
        await writer.drain()
        writer.close()
    return await asyncio.start_unix_server(answer, path)
