"""A Home Assistant of its own: one user, one token, MQTT and nothing else."""
import base64
import hashlib
import hmac
import json
import os
import pathlib
import re
import secrets
import signal
import sys
import time

from .client import Client
from .processes import Child, free_port
from .waiting import Failure, wait_for

HERE = pathlib.Path(__file__).resolve().parent
LINE = re.compile(r"^\S+ \S+ (WARNING|ERROR|CRITICAL|FATAL) ")
# What this way of starting it always causes.
USUAL = re.compile("Skipping pip installation|zlib_ng and isal|enabled IPv4 addresses")
LASTS = 315_360_000


def token(refresh, key):
    """An access token as the server itself would sign one."""
    def part(content):
        return base64.urlsafe_b64encode(json.dumps(content).encode()).rstrip(b"=")
    issued = int(time.time()) - 60
    signed = part({"alg": "HS256", "typ": "JWT"}) + b"." + part({"iss": refresh, "iat": issued, "exp": issued + LASTS})
    digest = hmac.new(key.encode(), signed, hashlib.sha256).digest()
    return (signed + b"." + base64.urlsafe_b64encode(digest).rstrip(b"=")).decode()


class Server:
    """Home Assistant as a process; what it has learned survives a stop."""

    def __init__(self, folder, broker_port):
        self.folder, self.broker_port = folder, broker_port
        self.port = free_port()
        self.log = folder / "home-assistant.log"
        self.child = None
        user, refresh, key = (secrets.token_hex(count) for count in (16, 16, 64))
        self.client = Client(f"http://127.0.0.1:{self.port}", token(refresh, key))
        (folder / "config/.storage").mkdir(parents=True)
        # The frontend is insisted on; an empty folder for its development will do.
        (folder / "frontend/hass_frontend").mkdir(parents=True)
        self.configure()
        self.store("http", {"server_host": ["127.0.0.1"], "server_port": self.port})
        self.store("onboarding", {"done": ["user", "core_config", "analytics", "integration"]}, 4)
        self.store_user(user, refresh, key)
        self.store_broker()

    def store(self, name, data, version=1, minor=1):
        content = {"version": version, "minor_version": minor, "key": name, "data": data}
        (self.folder / "config/.storage" / name).write_text(json.dumps(content))

    def store_user(self, user, refresh, key):
        groups = ("admin", "users", "read-only")
        self.store("auth", {
            "groups": [{"id": f"system-{name}", "name": name} for name in groups], "credentials": [],
            "users": [{"id": user, "name": "Check", "is_owner": True, "is_active": True, "system_generated": False,
                       "local_only": False, "group_ids": ["system-admin"]}],
            "refresh_tokens": [{
                "id": refresh, "user_id": user, "client_id": None, "client_name": "check", "client_icon": None,
                "token_type": "long_lived_access_token", "created_at": "2025-01-01T00:00:00+00:00",
                "access_token_expiration": LASTS, "token": secrets.token_hex(64), "jwt_key": key}]})

    def store_broker(self):
        self.store("core.config_entries", {"entries": [{
            "entry_id": secrets.token_hex(16), "domain": "mqtt", "title": "MQTT", "version": 1, "minor_version": 2,
            "data": {"broker": "127.0.0.1", "port": self.broker_port}, "options": {"discovery": True},
            "source": "user", "unique_id": None, "disabled_by": None, "pref_disable_new_entities": False,
            "pref_disable_polling": False, "discovery_keys": {}, "subentries": [],
            "created_at": "2025-01-01T00:00:00+00:00", "modified_at": "2025-01-01T00:00:00+00:00"}]}, 1, 5)

    def configure(self):
        address = f"http://127.0.0.1:{self.port}"
        content = {
            "homeassistant": {
                "name": "Check", "latitude": 50.0, "longitude": 8.0, "elevation": 100, "unit_system": "metric",
                "time_zone": "UTC", "currency": "EUR", "country": "DE", "language": "en", "internal_url": address,
                "external_url": address},
            "http": {"server_host": "127.0.0.1", "server_port": self.port},
            "frontend": {"development_repo": str(self.folder / "frontend")},
            "logger": {"default": "warning", "logs": {"homeassistant.components.mqtt": "info"}}}
        # JSON is YAML.
        (self.folder / "config/configuration.yaml").write_text(json.dumps(content, indent=1))

    def start(self):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        environment |= {"HOME": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}
        self.child = Child(
            "Home Assistant",
            [sys.executable, HERE / "launch.py", "-c", self.folder / "config", "--skip-pip", "--log-no-color"],
            self.log, environment)
        wait_for(lambda: self.child.check() and self.client.is_running(), "Home Assistant runs", 90, 0.1)
        wait_for(self.is_connected, "Home Assistant has its broker", 30, 0.1)

    def is_connected(self):
        self.child.check()
        states = [entry["state"] for entry in self.client.ask("config_entries/get", domain="mqtt")]
        if "setup_error" in states or "migration_error" in states:
            raise Failure(f"Home Assistant does not take its MQTT entry:\n{self.child.said()[-3000:]}")
        return states == ["loaded"]

    def stop(self, number=signal.SIGTERM):
        if self.child:
            self.child.end(number)
        self.child = None

    def problems(self):
        """The warnings and errors of its log."""
        if not self.log.exists():
            return []
        lines = self.log.read_text(errors="replace").splitlines()
        return [line for line in lines if LINE.match(line) and not USUAL.search(line)]
