"""The gateway is a device."""
from bed.world import GATEWAY, ROOT

IDENTITY = f"edge-agent_{GATEWAY}"
TOPIC = f"homeassistant/device/{GATEWAY}/gateway/config"
# Component, entity id, unit or class that must be there.
ENTITIES = {
    "connection": ("binary_sensor.hall_connection", {"device_class": "connectivity"}),
    "bluetooth": ("sensor.hall_bluetooth", {"device_class": "enum"}),
    "queue": ("sensor.hall_queue_depth", {"state_class": "measurement"}),
    "links": ("sensor.hall_links", {"state_class": "measurement"}),
    "recoveries": ("sensor.hall_recoveries", {"state_class": "total_increasing"}),
    "restart": ("button.hall_restart", {"device_class": "restart"}),
    "pairing": ("switch.hall_pairing_window", {}),
}


def check(world, note):
    client, observer = world.server.client, world.observer
    world.start_agent()
    device = note.step("it is in the registry, with its name", lambda: client.wait_device(IDENTITY, name=GATEWAY))
    note("and with its maker and version", device and device["manufacturer"] == "edge-agent" and device["sw_version"],
         device)
    for key, (entity, attributes) in ENTITIES.items():
        found = note.step(f"{key} is an entity", lambda: client.wait_entity(f"{IDENTITY}_{key}"))
        note(f"  called {entity}", found == entity, found)
        note.step(f"  of its class, with {attributes}", lambda: client.wait_state(
            entity, lambda state: state != "unavailable", **attributes))
    own = [entry for entry in client.entities().values() if device and entry["device_id"] == device["id"]]
    note("it has no other entities", len(own) == len(ENTITIES), own)

    note.step("it is connected", lambda: client.wait_state("binary_sensor.hall_connection", "on"))
    note.step("Bluetooth is ready", lambda: client.wait_state("sensor.hall_bluetooth", "ready"))
    for name in ("queue_depth", "links", "recoveries"):
        note.step(f"{name} is none", lambda: client.wait_state(f"sensor.hall_{name}", "0"))
    note.step("the pairing window is closed, and known to be", lambda: client.wait_state(
        "switch.hall_pairing_window", "off", assumed_state=None))

    mark = observer.mark()
    client.call("switch.turn_on", "switch.hall_pairing_window")
    note.step("opening it reaches the gateway", lambda: observer.wait(
        f"{ROOT}/res/home-assistant/+", mark, lambda message: message.json["status"] == "ok"))
    note.step("and shows once it is open", lambda: client.wait_state("switch.hall_pairing_window", "on"))
    client.call("switch.turn_off", "switch.hall_pairing_window")
    note.step("it can be closed again", lambda: client.wait_state("switch.hall_pairing_window", "off"))

    mark = observer.mark()
    client.call("button.press", "button.hall_restart")
    result = note.step("restart is answered first", lambda: observer.wait(
        f"{ROOT}/res/home-assistant/+", mark, lambda message: message.json["verb"] == "restart"))
    note("  as done", result and result.json["status"] == "ok", result)
    note("then the agent ends so that it is started again", world.children["agent"].process.wait(30) == 75)
    note.step("its entities are unavailable", lambda: client.wait_state("sensor.hall_queue_depth", "unavailable"))
    note.step("and the connection is off", lambda: client.wait_state("binary_sensor.hall_connection", "off"))
    world.start_agent()
    note.step("they come back with it", lambda: client.wait_state("sensor.hall_queue_depth", "0"))
    note("the broker holds one discovery message", list(observer.retained("homeassistant/#")) == [TOPIC],
         observer.retained("homeassistant/#"))
