"""Starts Home Assistant with the system's resolver: its own would open sockets for mDNS on every interface."""
import sys

import aiohttp
from homeassistant import bootstrap  # loads what the next line needs, in its order
from homeassistant.helpers import aiohttp_client

if not (bootstrap and hasattr(aiohttp_client, "_async_make_resolver")):
    sys.exit("launch: this Home Assistant makes its resolver elsewhere")
aiohttp_client._async_make_resolver = lambda hass: aiohttp.ThreadedResolver()

from homeassistant.__main__ import main  # noqa: E402: after the exchange

sys.exit(main())
