"""Pairing with prompts that are answered over MQTT, bonds, and bonds that do not do any more."""
import time

from contract import require
from gateway import expect_failure

SECRET = {"service": "ff10", "characteristic": "ff11"}
TREASURE = {"service": "ff20", "characteristic": "ff21"}
NUMBER = {"service": "ff38", "characteristic": "ff39"}
PANEL = {"service": "ff30", "characteristic": "ff31"}


def prompt(gateway, dev, kind, since):
    """Waits for the prompt of a pairing; it is none that is retained."""
    topic = gateway.path("pair")
    message = gateway.wait(lambda message: message.topic == topic and message.body["state"] == "open", 40,
                           f"a prompt of {dev}", since=since)
    require(not message.retained, "the prompt is retained")
    require(message.body["dev"] == dev and message.body["kind"] == kind, f"another prompt: {message.body}")
    return message.body


def unpaired(gateway, dev):
    """Without a bond from an earlier check, and found again."""
    gateway.ok("unpair", dev)
    gateway.ok("connect", dev)


def bond(gateway, dev):
    """What `devices` says of a device's bond."""
    return [known["bonded"] for known in gateway.ok("devices")["devices"] if known["dev"] == dev] == [True]


def needs_pairing(bench):
    """A value that wants pairing is refused, while bluetoothd leaves the request without an answer."""
    gateway, dev = bench.gateway, bench["lock"]
    gateway.ok("connect", dev)
    body = gateway.send("read", dev, **SECRET).result()
    expect_failure(body, "needs-pairing")
    require(gateway.ok("read", dev, service="ff10", characteristic="ff13")["value"] == {"hex": "6f70656e"}, "open")
    gateway.ok("disconnect", dev)
    return f"{body['error']}"


def pair_just_works(bench):
    """Just Works: nobody is asked; the bond does for the next link, and a second `pair` does nothing."""
    gateway, dev = bench.gateway, bench["lock"]
    unpaired(gateway, dev)
    since = gateway.mark
    require(gateway.ok("pair", dev, seconds=90) == {"already": False, "bonded": True}, "paired")
    require(not gateway.on("pair", since=since), "somebody was asked")
    require(gateway.ok("read", dev, **SECRET)["value"] == {"hex": b"secret".hex()}, "read with the bond")
    require(bond(gateway, dev), "devices tells of no bond")
    require(gateway.ok("pair", dev) == {"already": True, "bonded": True}, "paired again")
    gateway.ok("disconnect", dev)
    require(gateway.ok("read", dev, **SECRET)["value"] == {"hex": b"secret".hex()}, "read on a new link")
    gateway.ok("unpair", dev)
    require(not bond(gateway, dev), "the bond is still told")


def pair_passkey_shown_there(bench):
    """The device shows a number, and a caller types it in; a wrong one, and a refusal, are told apart."""
    gateway, dev = bench.gateway, bench["vault"]
    unpaired(gateway, dev)
    for answer, code in (({"passkey": 654321}, "pairing-failed"), ({"accept": False}, "pairing-rejected")):
        since = gateway.mark
        pairing = gateway.send("pair", dev)
        asked = prompt(gateway, dev, "passkey", since)
        gateway.ok("pair.answer", dev, prompt=asked["prompt"], **answer)
        expect_failure(pairing.result(90), code)
        gateway.send("disconnect", dev).result()
    since = gateway.mark
    pairing = gateway.send("pair", dev)
    asked = prompt(gateway, dev, "passkey", since)
    began = time.monotonic()
    gateway.fails("bad-request", "pair.answer", dev, prompt=asked["prompt"], accept=True)
    gateway.ok("pair.answer", dev, prompt=asked["prompt"], passkey="123456")
    body = pairing.result(90)
    require(body["status"] == "ok" and body["result"]["bonded"], f"pair: {body}")
    require(gateway.ok("read", dev, **TREASURE)["value"] == {"hex": b"gold".hex()}, "read")
    gateway.ok("disconnect", dev)
    require(gateway.ok("read", dev, **TREASURE)["value"] == {"hex": b"gold".hex()}, "read on a new link")
    gateway.ok("unpair", dev)
    return f"paired {time.monotonic() - began:.1f} s after the prompt"


def pair_passkey_typed_there(bench):
    """The agent shows a number, which is typed in at the device."""
    gateway, dev = bench.gateway, bench["keypad"]
    unpaired(gateway, dev)
    since = gateway.mark
    pairing = gateway.send("pair", dev)
    shown = prompt(gateway, dev, "display", since)
    bench.labctl("radio", "type", "keypad", str(int(shown["passkey"])))
    body = pairing.result(90)
    require(body["status"] == "ok" and body["result"]["bonded"], f"pair: {body}")
    require(gateway.ok("read", dev, **NUMBER)["value"] == {"hex": b"keypad".hex()}, "read")
    gateway.ok("unpair", dev)


def pair_compare(bench):
    """Both sides compare a number; without an answer the pairing ends as refused."""
    gateway, dev = bench.gateway, bench["panel"]
    unpaired(gateway, dev)
    since = gateway.mark
    unanswered = gateway.send("pair", dev)
    prompt(gateway, dev, "confirm", since)
    expect_failure(unanswered.result(90), "pairing-rejected")
    gateway.send("disconnect", dev).result()
    since = gateway.mark
    pairing = gateway.send("pair", dev)
    asked = prompt(gateway, dev, "confirm", since)
    require(len(asked["passkey"]) == 6 and asked["passkey"].isdigit(), f"the number: {asked}")
    gateway.ok("pair.answer", dev, prompt=asked["prompt"], accept=True)
    body = pairing.result(90)
    require(body["status"] == "ok" and body["result"]["bonded"], f"pair: {body}")
    require(gateway.ok("read", dev, **PANEL)["value"] == {"hex": b"panel".hex()}, "read")
    gateway.ok("unpair", dev)


def stale_bond(bench):
    """A bond that the device has lost is told from a link that is merely bad, and can be made anew."""
    gateway, dev = bench.gateway, bench["lock"]
    unpaired(gateway, dev)
    gateway.ok("pair", dev, seconds=90)
    require(gateway.ok("read", dev, **SECRET)["value"] == {"hex": b"secret".hex()}, "bonded")
    gateway.ok("disconnect", dev)
    bench.labctl("radio", "forget", "lock")
    body = gateway.send("read", dev, **SECRET).result()
    expect_failure(body, "stale-bond")
    require(gateway.ok("pair", dev)["already"], "pair has made the bond anew by itself")
    require(not gateway.ok("unpair", dev)["already"], "there was no bond to end")
    require(gateway.ok("pair", dev, seconds=90) == {"already": False, "bonded": True}, "paired anew")
    require(gateway.ok("read", dev, **SECRET)["value"] == {"hex": b"secret".hex()}, "read with the new bond")
    return f"{body['error']}, {body['timing']}"


def forget(bench):
    """A device that is forgotten has no bond and nothing retained, and is found again."""
    gateway, dev = bench.gateway, bench["lock"]
    gateway.ok("connect", dev)
    gateway.ok("pair", dev, seconds=90)
    since = gateway.mark
    gateway.ok("forget", dev)
    require(not bond(gateway, dev), "the bond is still told")
    gateway.until(lambda: any(message.body == "" for message in gateway.on("dev", dev, "link", since=since)), 10,
                  "the empty link topic")
    gateway.fails("needs-pairing", "read", dev, **SECRET)
    gateway.ok("disconnect", dev)


CHECKS = (needs_pairing, pair_just_works, pair_passkey_shown_there, pair_passkey_typed_there, pair_compare, stale_bond,
          forget)
