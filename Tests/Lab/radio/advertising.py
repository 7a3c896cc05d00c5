"""Fields of advertising data, as (type, bytes) pairs."""

MAX_BYTES = 31
FLAGS = (0x01, b"\x06")                     # LE only, general discoverable
HIDDEN_FLAGS = (0x01, b"\x04")              # LE only, not discoverable


def name(text):
    return (0x09, text.encode())


def services(*short_uuids):
    return (0x03, b"".join(uuid.to_bytes(2, "little") for uuid in short_uuids))


def tx_power(dbm):
    return (0x0A, dbm.to_bytes(1, "little", signed=True))


def appearance(value):
    return (0x19, value.to_bytes(2, "little"))


def manufacturer(company, data):
    return (0xFF, company.to_bytes(2, "little") + data)


def service_data(short_uuid, data):
    return (0x16, short_uuid.to_bytes(2, "little") + data)


def encode(fields):
    data = b"".join(bytes([len(value) + 1, kind]) + value for kind, value in fields)
    if len(data) > MAX_BYTES:
        raise ValueError(f"{len(data)} bytes do not fit a legacy advertisement: {data.hex()}")
    return data
