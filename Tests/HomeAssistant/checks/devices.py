"""Devices by their profiles: what they tell is shown, what is operated reaches them and comes back confirmed."""
import json
import signal

from bed import devices
from bed.devices import BUTTON, LAMP, METER, plain
from bed.waiting import wait_for
from bed.world import ROOT

from . import gateway

LAMP_ID, METER_ID, BUTTON_ID = (f"{gateway.IDENTITY}_{plain(address)}" for address in (LAMP, METER, BUTTON))


def check(world, note):
    set_up(world)
    meter(world, note)
    lamp(world, note)
    operated(world, note)
    button(world, note)
    deaths(world, note)
    what_goes(world, note)


def set_up(world):
    if "agent" in world.children:
        world.stop_agent()
    folder = world.folder / "profiles"
    folder.mkdir(exist_ok=True)
    (folder / "lamp.yaml").write_text(devices.PROFILE)
    world.configuration |= {
        "profiles": {"directory": str(folder)}, "values": {"minIntervalMs": 100},
        "devices": [
            {"address": LAMP, "alias": "lamp", "name": "Desk lamp", "profile": "check-lamp",
             "intervalMs": 3000, "link": {"policy": "keep"}},
            {"address": METER, "alias": "meter", "name": "Cellar", "profile": "bthome"},
            {"address": BUTTON, "alias": "button", "profile": "bthome"}]}
    world.start_agent()


def meter(world, note):
    client = world.server.client
    device = note.step("a beacon is a device, with the name of the configuration",
                       lambda: client.wait_device(METER_ID, name="Cellar"))
    gateway_device = client.device(gateway.IDENTITY)
    note("it is reached through the gateway", device and device["via_device_id"] == gateway_device["id"])
    note("it has its address", device and device["connections"] == [["bluetooth", METER]], device)
    note.step("its temperature has name, value, unit and class", lambda: client.wait_state(
        "sensor.cellar_temperature", "25.06", unit_of_measurement="°C", device_class="temperature",
        state_class="measurement"))
    note.step("its battery too", lambda: client.wait_state(
        "sensor.cellar_battery", "95", unit_of_measurement="%", device_class="battery"))
    note.step("its motion is on", lambda: client.wait_state("binary_sensor.cellar_motion", "on", device_class="motion"))
    topic = f"{ROOT}/dev/meter/state"
    mark = world.observer.mark()
    world.observer.wait(f"{ROOT}/health", mark)
    world.observer.wait(f"{ROOT}/health", world.observer.mark())
    note("what is said again and again is published once", len(world.observer.seen(topic, mark)) == 0,
         world.observer.seen(topic, mark))


    mark = world.observer.mark()
    world.observer.publish(f"{ROOT}/cmd/check", {"id": "s1", "verb": "scan", "durationMs": 1000, "decode": True})
    result = world.observer.wait(f"{ROOT}/res/check/s1", mark).json
    decoded = {device["dev"]: device.get("decoded") for device in result["result"]["devices"]}
    note("a scan tells what profiles read", decoded.get("meter", {}).get("values", {}).get("temperature") == 25.06
         and decoded["meter"]["units"]["temperature"] == "°C" and decoded.get("lamp") is None, result)
    world.observer.publish(f"{ROOT}/cmd/check", {"id": "s2", "verb": "scan.start", "session": "look", "decode": True})
    note.step("a lasting one too", lambda: world.observer.wait(f"{ROOT}/scan/look", mark, lambda message: any(
        device.get("decoded", {}).get("values", {}).get("battery") == 95 for device in message.json["devices"])))
    world.observer.publish(f"{ROOT}/cmd/check", {"id": "s3", "verb": "scan.stop", "session": "look"})


def lamp(world, note):
    client = world.server.client
    device = note.step("a device with a link is one", lambda: client.wait_device(LAMP_ID, name="Desk lamp"))
    note("of its maker and model", device and (device["manufacturer"], device["model"]) == ("Nobody", "L1"), device)
    note.step("its switch is off, and known to be", lambda: client.wait_state(
        "switch.desk_lamp_power", "off", assumed_state=None, device_class="switch"))
    note.step("its number has value, range and unit", lambda: client.wait_state(
        "number.desk_lamp_level", "20", min=0, max=100, step=1, unit_of_measurement="%"))
    note.step("its select has its options", lambda: client.wait_state(
        "select.desk_lamp_mode", "eco", options=["eco", "normal", "boost"]))
    note.step("its text has its value", lambda: client.wait_state("text.desk_lamp_label", "desk"))
    note.step("its button is there", lambda: client.wait_state("button.desk_lamp_identify", "unknown"))


def written(world):
    """All bytes that were written to devices, by the simulator's log."""
    calls = (json.loads(line) for line in (world.folder / "calls.jsonl").read_text().splitlines())
    return [call["arguments"][0] for call in calls if call["member"] == "WriteValue"]


def operated(world, note):
    client, observer = world.server.client, world.observer
    acts = [
        ("switch.turn_on", "switch.desk_lamp_power", {}, "power", "on", True, "01"),
        ("number.set_value", "number.desk_lamp_level", {"value": 75}, "level", "75", 75, "4b"),
        ("select.select_option", "select.desk_lamp_mode", {"option": "boost"}, "mode", "boost", "boost", "02"),
        ("text.set_value", "text.desk_lamp_label", {"value": "küche"}, "label", "küche", "küche", "6bc3bc636865"),
        ("switch.turn_off", "switch.desk_lamp_power", {}, "power", "off", False, "00"),
    ]
    for service, entity, data, name, shown, value, frame in acts:
        mark = observer.mark()
        client.call(service, entity, **data)
        result = note.step(f"{service} {data or ''} is carried out", lambda: observer.wait(
            f"{ROOT}/res/set/+", mark, lambda message: message.json["final"]))
        note("  with success", result and result.json["status"] == "ok", result)
        note(f"  {frame} was written", written(world)[-1:] == [frame], written(world))
        state = note.step("  the device confirms it", lambda: observer.wait(
            f"{ROOT}/dev/lamp/state", mark, lambda message: message.json.get(name) == value))
        reads = observer.seen(f"{ROOT}/dev/lamp/state", mark)
        note("  once", state and len(reads) == 1, reads)
        note.step("  and it is shown", lambda: client.wait_state(entity, shown))
    mark = observer.mark()
    client.call("button.press", "button.desk_lamp_identify")
    note.step("a button is pressed at the device", lambda: observer.wait(
        f"{ROOT}/res/set/+", mark, lambda message: message.json["status"] == "ok"))
    mark = observer.mark()
    observer.publish(f"{ROOT}/dev/lamp/set/level", "101")
    note.step("what the device cannot be told is refused", lambda: observer.wait(
        f"{ROOT}/res/set/+", mark, lambda message: message.json["error"]["code"] == "bad-request"))
    note("and shows nowhere", client.state("number.desk_lamp_level")["state"] == "75")


def button(world, note):
    client, observer = world.server.client, world.observer
    world.perform(f'[{{advertise: {{device: "{BUTTON}", enabled: true}}}}]')
    entity = note.step("a button is an entity once it was pressed", lambda: client.wait_entity(f"{BUTTON_ID}_button"))
    note.step("each press is an event", lambda: client.wait_state(
        entity, lambda state: state not in ("unknown", "unavailable"), event_type="press"))
    mark = observer.mark()
    first = observer.wait(f"{ROOT}/dev/button/event", mark, lambda message: message.json["event"] == "value")
    observer.wait(f"{ROOT}/dev/button/event", observer.mark(), lambda message: message.json["event"] == "value")
    presses = [message.at for message in observer.seen(f"{ROOT}/dev/button/event", mark)
               if message.json["event"] == "value"]
    # Each packet goes out ten times in a second.
    note("once, however often its packet is repeated", all(later - earlier > 0.5 for earlier, later
                                                           in zip(presses, presses[1:])), presses)
    note("and it is never retained", not first.retain)
    world.perform(f'[{{advertise: {{device: "{BUTTON}", enabled: false}}}}]')


def deaths(world, note):
    client = world.server.client
    world.perform(f'[{{reach: {{device: "{LAMP}", enabled: false}}}}]')
    note.step("a device out of reach is unavailable", lambda: client.wait_state("switch.desk_lamp_power", "unavailable", 60))
    note("and the others are not", client.state("sensor.cellar_temperature")["state"] == "25.06")
    world.perform(f'[{{reach: {{device: "{LAMP}", enabled: true}}}}]')
    note.step("it comes back", lambda: client.wait_state("switch.desk_lamp_power", "off", 60))
    world.stop_agent(signal.SIGKILL)
    for entity in ("switch.desk_lamp_power", "sensor.cellar_temperature", "number.desk_lamp_level"):
        note.step(f"the gateway's death makes {entity} unavailable", lambda: client.wait_state(entity, "unavailable", 25))
    world.start_agent()
    note.step("its start brings them back", lambda: client.wait_state("number.desk_lamp_level", "75", 30))
    note.step("and beacons", lambda: client.wait_state("sensor.cellar_temperature", "25.06", 30))
    world.server.stop()
    world.start_server()
    note.step("a restart of the server loses nothing", lambda: client.wait_state("number.desk_lamp_level", "75", 30))
    client.call("number.set_value", "number.desk_lamp_level", value=30)
    note.step("and it operates as before", lambda: client.wait_state("number.desk_lamp_level", "30"))


def what_goes(world, note):
    client, observer = world.server.client, world.observer
    (world.folder / "profiles/lamp.yaml").write_text(
        devices.PROFILE.replace("display: {component: text, name: Label, max: 20}", "display: none"))
    world.reload_agent()
    note.step("a value that the profile has lost goes", lambda: wait_for(
        lambda: client.state("text.desk_lamp_label") is None, "the text goes"))
    note("the others stay", client.state("switch.desk_lamp_power")["state"] == "off")
    world.stop_agent()
    world.configuration["devices"] = [device for device in world.configuration["devices"]
                                      if device["alias"] != "meter"]
    for device in world.configuration["devices"]:
        device["alias"] = "new-" + device["alias"]
    mark = observer.mark()
    world.start_agent()
    note.step("a device that is configured no more goes", lambda: client.wait_no_device(METER_ID))
    note.step("one with another alias stays what it was", lambda: observer.wait(
        f"homeassistant/device/hall/{plain(LAMP)}/config", mark, lambda message: "new-lamp" in message.payload))
    note.step("  and works", lambda: client.wait_state("number.desk_lamp_level", "30", 30))
