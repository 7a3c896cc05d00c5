"""Either side dies and comes back; what goes, goes for ever."""
import json
import signal

from bed.waiting import wait_for
from bed.world import ROOT

from . import gateway


def check(world, note):
    death_of_the_gateway(world, note)
    restart_of_the_server(world, note)
    broker_without_memory(world, note)
    what_goes(world, note)


def is_back(world, note, what):
    note.step(f"{what}, all is back", lambda: world.server.client.wait_state("sensor.hall_queue_depth", "0", 40))


def start_if_needed(world):
    agent = world.children.get("agent")
    if agent is None or agent.process.poll() is not None:
        world.start_agent()


def death_of_the_gateway(world, note):
    start_if_needed(world)
    client = world.server.client
    client.wait_state("sensor.hall_queue_depth", "0")
    world.stop_agent(signal.SIGKILL)
    note.step("a gateway that is killed is unavailable", lambda: client.wait_state(
        "sensor.hall_queue_depth", "unavailable", 25))
    world.start_agent()
    is_back(world, note, "after its start")


def restart_of_the_server(world, note):
    observer = world.observer
    for number, how in ((signal.SIGTERM, "stopped"), (signal.SIGKILL, "killed")):
        world.server.stop(number)
        mark = observer.mark()
        world.start_server()
        birth = observer.seen("homeassistant/status", mark, lambda message: message.payload == "online")[0]
        said = note.step(f"a server that was {how} is told everything once more", lambda: observer.wait(
            gateway.TOPIC, mark, lambda message: message.at > birth.at and message.retain))
        note("  after a moment by chance", said and 0.9 < said.at - birth.at < 6, said and said.at - birth.at)
        note.step("  values too", lambda: observer.wait(f"{ROOT}/bluetooth", mark, lambda m: m.at > birth.at))
        is_back(world, note, "after it")


def broker_without_memory(world, note):
    client = world.server.client
    mark = world.observer.mark()
    world.broker.stop(forget=True)
    note.step("without broker all is unavailable", lambda: client.wait_state("sensor.hall_links", "unavailable"))
    world.broker.start()
    wait_for(lambda: gateway.TOPIC in world.observer.retained("homeassistant/#"),
             "a broker that has lost everything holds the announcement again", 30)
    note("a broker that has lost everything holds the announcement again", True)
    is_back(world, note, "when the server has found it")
    world.observer.wait("homeassistant/status", mark, lambda message: message.payload == "online", 40)


def is_empty(message):
    return not message.payload and message.retain


def emptied(world, topic, mark):
    return world.observer.wait(topic, mark, is_empty)


def what_goes(world, note):
    client, observer = world.server.client, world.observer
    observer.publish("homeassistant/sensor/stranger/config", {"stat_t": "stranger", "name": "Stranger"}, retain=True)
    world.stop_agent()
    world.configuration["homeAssistant"] = {"enabled": True, "node": "cellar"}
    mark = begun = observer.mark()
    world.start_agent()
    note.step("under another node it is another device", lambda: client.wait_device("edge-agent_cellar"))
    note.step("and the old one goes", lambda: client.wait_no_device(gateway.IDENTITY))
    note.step("its topic is emptied", lambda: emptied(world, gateway.TOPIC, mark))
    # Who starts knows of no server before the next birth message.
    world.server.stop()
    mark = observer.mark()
    world.start_server()
    emptied(world, gateway.TOPIC, mark)
    note("a server that starts later is not left with it", client.device(gateway.IDENTITY) is None)
    note("the topic was emptied once for each", len(observer.seen(gateway.TOPIC, begun, is_empty)) == 2)
    records = json.loads((world.folder / "state/home-assistant.json").read_text())["devices"]
    note("then it is forgotten", [record["identity"] for record in records] == ["edge-agent_cellar"], records)

    world.server.stop()
    world.stop_agent()
    world.configuration["homeAssistant"] = {"enabled": False}
    mark = observer.mark()
    world.start_agent()
    topic = "homeassistant/device/cellar/gateway/config"
    note.step("what is switched off is taken back", lambda: emptied(world, topic, mark))
    world.stop_agent()
    world.start_agent()
    mark = observer.mark()
    world.start_server()
    emptied(world, topic, mark)
    note("also from a server that was away meanwhile", client.device("edge-agent_cellar") is None)
    note("nobody else's topics are touched",
         list(observer.retained("homeassistant/#")) == ["homeassistant/sensor/stranger/config"],
         observer.retained("homeassistant/#"))
    mark = observer.mark()
    world.stop_agent()
    world.start_agent()
    observer.wait(f"{ROOT}/health", mark)
    note("and then there is silence", not observer.seen("homeassistant/#", mark), observer.seen("homeassistant/#", mark))
    world.stop_agent()
    world.configuration["homeAssistant"] = {"enabled": True}
    world.start_agent()
    is_back(world, note, "switched on again")
