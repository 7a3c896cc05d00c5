"""The agent's table of units and classes is Home Assistant's."""
import pathlib
import re

from homeassistant.components.binary_sensor import BinarySensorDeviceClass
from homeassistant.components.button import ButtonDeviceClass
from homeassistant.components.event import EventDeviceClass
from homeassistant.components.number.const import NumberDeviceClass
from homeassistant.components.sensor.const import (
    DEVICE_CLASS_STATE_CLASSES, DEVICE_CLASS_UNITS, SensorDeviceClass)
from homeassistant.components.switch import SwitchDeviceClass

SOURCES = pathlib.Path(__file__).resolve().parents[3] / "Sources/EdgeAgent/HomeAssistant"
# What depends on the configured currency.
LEFT_OUT = {"monetary"}


def texts(source):
    return re.findall(r'"([^"]*)"', source)


def check(_world, note):
    source = (SOURCES / "HomeUnits.swift").read_text()
    lists = {name: texts(body) for name, body in
             re.findall(r"private static let (\w+) = \[(.*?)\]", source, re.DOTALL)}
    rows = re.findall(r'^ {8}"(\w+)": SensorClass\((.*?)\),$', source, re.DOTALL | re.MULTILINE)
    known = {}
    for name, body in rows:
        units = next((list_ for key, list_ in lists.items() if body.startswith(key)), None) or texts(body)
        known[name] = set(units)
    theirs = {entry.value: {str(unit) if unit else "" for unit in DEVICE_CLASS_UNITS.get(entry, ())}
              for entry in SensorDeviceClass if entry.value not in LEFT_OUT}
    note("each class of sensors has the same units", known == theirs,
         {name: (known.get(name), theirs.get(name)) for name in known.keys() | theirs.keys()
          if known.get(name) != theirs.get(name)})
    adding = {name for name, body in rows if ", all" in body or "\n            all" in body}
    note("those that may be added up in each way are the same",
         adding == {entry.value for entry, classes in DEVICE_CLASS_STATE_CLASSES.items() if len(classes) == 3
                    and entry.value not in LEFT_OUT}, adding)
    platforms = (SOURCES / "HomePlatform.swift").read_text()
    for case, classes in (("binarySensor", BinarySensorDeviceClass), ("event", EventDeviceClass),
                          ("switch", SwitchDeviceClass), ("button", ButtonDeviceClass)):
        body = re.search(rf"case \.{case}:\s*\[(.*?)\]", platforms, re.DOTALL)
        note(f"the classes of {case} are the same", set(texts(body[1])) == {entry.value for entry in classes})
    numbers = {entry.value for entry in NumberDeviceClass} - LEFT_OUT
    note("the classes of numbers are the same", known.keys() - {"date", "enum", "timestamp"} == numbers)
