/* floor - the least that a bridge on libdbus and libmosquitto must do, in C: one thread, one poll loop, no features.
 *
 *   floor PORT QOS [drop]
 *
 * It answers f/req/ADDRESS  {"id":N,"op":"ping|read|write|connect|subscribe","v":"hex"}
 * on         f/res/ADDRESS  {"id":N,"ok":true,"v":"hex"}, and publishes each advertisement and each notification on
 * f/adv/ADDRESS and f/ntf/ADDRESS. With `drop` it takes advertisements from the bus and throws them away.
 */
#define _GNU_SOURCE
#include "rig.h"

#include <dbus/dbus.h>
#include <mosquitto.h>
#include <poll.h>
#include <stdbool.h>

typedef struct {
    char address[24];
    unsigned long id;
    bool reads;
} Request;

static DBusConnection *bus;
static struct mosquitto *client;
static int qos;
static bool drops;

static char *put_hex(char *out, const uint8_t *bytes, int count) {
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < count; i++) {
        *out++ = digits[bytes[i] >> 4];
        *out++ = digits[bytes[i] & 15];
    }
    *out = 0;
    return out;
}

static void publish(const char *kind, const char *address, const char *payload, const char *end) {
    char topic[64];
    snprintf(topic, sizeof topic, "f/%s/%.17s", kind, address);
    /* Advertisements are worth no acknowledgement. */
    int level = kind[0] == 'a' ? 0 : qos;
    mosquitto_publish(client, NULL, topic, (int)(end - payload), payload, level, false);
}

static const char *address_in(const char *path) {
    const char *at = path ? strstr(path, "/dev_") : NULL;
    return at && strlen(at) >= 22 ? at + 5 : NULL;
}

/* The array of bytes at an iterator, or in the variant there, as hex. */
static char *hex_at(char *out, const DBusMessageIter *at) {
    DBusMessageIter place = *at, inner;
    const uint8_t *bytes;
    int count;
    if (dbus_message_iter_get_arg_type(&place) == 'v') {
        dbus_message_iter_recurse(&place, &inner);
        place = inner;
    }
    if (dbus_message_iter_get_arg_type(&place) != 'a' || dbus_message_iter_get_element_type(&place) != 'y') return out;
    dbus_message_iter_recurse(&place, &inner);
    dbus_message_iter_get_fixed_array(&inner, &bytes, &count);
    return put_hex(out, bytes, count > 512 ? 512 : count);
}

static char *payloads(char *out, const DBusMessageIter *variant, bool by_company) {
    DBusMessageIter all, entry;
    bool first = true;
    dbus_message_iter_recurse((DBusMessageIter *)variant, &all);
    for (; dbus_message_iter_get_arg_type(&all) == 'e'; dbus_message_iter_next(&all), first = false) {
        dbus_message_iter_recurse(&all, &entry);
        if (!first) *out++ = ',';
        if (by_company) {
            uint16_t company;
            dbus_message_iter_get_basic(&entry, &company);
            out += sprintf(out, "\"%04x\":\"", company);
        } else {
            const char *uuid;
            dbus_message_iter_get_basic(&entry, &uuid);
            out += sprintf(out, "\"%s\":\"", uuid);
        }
        dbus_message_iter_next(&entry);
        out = hex_at(out, &entry);
        *out++ = '"';
    }
    return out;
}

static void advertisement(const char *path, DBusMessageIter *properties) {
    char text[4096], *out = text;
    const char *name, *address = address_in(path);
    DBusMessageIter all, entry, value;
    if (!address) return;
    *out++ = '{';
    dbus_message_iter_recurse(properties, &all);
    for (; dbus_message_iter_get_arg_type(&all) == 'e'; dbus_message_iter_next(&all)) {
        dbus_message_iter_recurse(&all, &entry);
        dbus_message_iter_get_basic(&entry, &name);
        dbus_message_iter_next(&entry);
        dbus_message_iter_recurse(&entry, &value);
        bool company = !strcmp(name, "ManufacturerData"), service = !strcmp(name, "ServiceData"), rssi = !strcmp(name, "RSSI");
        if (!company && !service && !rssi) continue;
        if (out > text + 1) *out++ = ',';
        if (rssi) {
            int16_t strength;
            dbus_message_iter_get_basic(&value, &strength);
            out += sprintf(out, "\"rssi\":%d", strength);
            continue;
        }
        out += sprintf(out, company ? "\"manufacturer\":{" : "\"service\":{");
        out = payloads(out, &value, company);
        *out++ = '}';
    }
    if (out == text + 1) return;
    *out++ = '}';
    publish("adv", address, text, out);
}

/* A value that changes by our own read is no notification; only paths that were subscribed count. */
static uint8_t subscribed[65536];

static uint16_t hash(const char *text) {
    uint32_t hash = 2166136261u;
    while (*text) hash = (hash ^ (uint8_t)*text++) * 16777619u;
    return (uint16_t)(hash ^ hash >> 16);
}

static void value_changed(const char *path, DBusMessageIter *properties) {
    char text[1100];
    const char *name, *address = address_in(path);
    DBusMessageIter all, entry;
    if (!address || !subscribed[hash(path)]) return;
    dbus_message_iter_recurse(properties, &all);
    for (; dbus_message_iter_get_arg_type(&all) == 'e'; dbus_message_iter_next(&all)) {
        dbus_message_iter_recurse(&all, &entry);
        dbus_message_iter_get_basic(&entry, &name);
        if (strcmp(name, "Value")) continue;
        dbus_message_iter_next(&entry);
        publish("ntf", address, text, hex_at(text, &entry));
    }
}

static DBusHandlerResult signal_came(DBusConnection *connection, DBusMessage *message, void *nothing) {
    DBusMessageIter at, all, entry;
    const char *text;
    (void)connection;
    (void)nothing;
    if (dbus_message_is_signal(message, "org.freedesktop.DBus.Properties", "PropertiesChanged")) {
        dbus_message_iter_init(message, &at);
        dbus_message_iter_get_basic(&at, &text);
        dbus_message_iter_next(&at);
        if (!strcmp(text, "org.bluez.GattCharacteristic1")) value_changed(dbus_message_get_path(message), &at);
        else if (!drops && !strcmp(text, "org.bluez.Device1")) advertisement(dbus_message_get_path(message), &at);
    } else if (!drops && dbus_message_is_signal(message, "org.freedesktop.DBus.ObjectManager", "InterfacesAdded")) {
        const char *path;
        dbus_message_iter_init(message, &at);
        dbus_message_iter_get_basic(&at, &path);
        dbus_message_iter_next(&at);
        for (dbus_message_iter_recurse(&at, &all); dbus_message_iter_get_arg_type(&all) == 'e'; dbus_message_iter_next(&all)) {
            dbus_message_iter_recurse(&all, &entry);
            dbus_message_iter_get_basic(&entry, &text);
            dbus_message_iter_next(&entry);
            if (!strcmp(text, "org.bluez.Device1")) advertisement(path, &entry);
        }
    } else return DBUS_HANDLER_RESULT_NOT_YET_HANDLED;
    return DBUS_HANDLER_RESULT_HANDLED;
}

static void answer(const Request *request, DBusMessage *reply) {
    char text[1200], *out = text;
    DBusMessageIter at;
    bool ok = !reply || dbus_message_get_type(reply) != DBUS_MESSAGE_TYPE_ERROR;
    out += sprintf(out, "{\"id\":%lu,\"ok\":%s", request->id, ok ? "true" : "false");
    if (!ok) out += sprintf(out, ",\"error\":\"%.80s\"", dbus_message_get_error_name(reply));
    if (ok && request->reads && dbus_message_iter_init(reply, &at)) {
        out += sprintf(out, ",\"v\":\"");
        out = hex_at(out, &at);
        *out++ = '"';
    }
    *out++ = '}';
    publish("res", request->address, text, out);
}

static void replied(DBusPendingCall *call, void *request) {
    DBusMessage *reply = dbus_pending_call_steal_reply(call);
    answer(request, reply);
    dbus_message_unref(reply);
    dbus_pending_call_unref(call);
}

static void field(const char *payload, const char *key, char *out, size_t room) {
    const char *at = strstr(payload, key);
    size_t length = 0;
    if (at) for (at += strlen(key); *at && *at != '"' && length + 1 < room; at++) out[length++] = *at;
    out[length] = 0;
}

static void message_came(struct mosquitto *from, void *nothing, const struct mosquitto_message *message) {
    char payload[4096], op[16], value[1100], path[160];
    (void)from;
    (void)nothing;
    if (strncmp(message->topic, "f/req/", 6) || message->payloadlen >= (int)sizeof payload) return;
    memcpy(payload, message->payload, (size_t)message->payloadlen);
    payload[message->payloadlen] = 0;
    field(payload, "\"op\":\"", op, sizeof op);
    field(payload, "\"v\":\"", value, sizeof value);
    const char *id = strstr(payload, "\"id\":");
    Request *request = calloc(1, sizeof *request);
    snprintf(request->address, sizeof request->address, "%.17s", message->topic + 6);
    request->id = id ? strtoul(id + 5, NULL, 10) : 0;
    request->reads = op[0] == 'r';
    if (op[0] == 'p') {
        answer(request, NULL);
        free(request);
        return;
    }
    bool device = op[0] == 'c', subscribes = op[0] == 's', writes = op[0] == 'w';
    const char *rest = device ? "" : subscribes ? "/service0100/char0104" : "/service0100/char0101";
    snprintf(path, sizeof path, "/org/bluez/hci0/dev_%s%s", request->address, rest);
    DBusMessage *call = dbus_message_new_method_call("org.bluez", path, device ? "org.bluez.Device1" : "org.bluez.GattCharacteristic1",
        device ? "Connect" : subscribes ? "StartNotify" : writes ? "WriteValue" : "ReadValue");
    DBusMessageIter at, array;
    dbus_message_iter_init_append(call, &at);
    if (subscribes) subscribed[hash(path)] = 1;
    if (writes) {
        uint8_t bytes[512];
        const uint8_t *start = bytes;
        int count = 0;
        for (const char *hex = value; hex[0] && hex[1] && count < 512; hex += 2)
            bytes[count++] = (uint8_t)(hex_digit((uint8_t)hex[0]) << 4 | hex_digit((uint8_t)hex[1]));
        dbus_message_iter_open_container(&at, 'a', "y", &array);
        dbus_message_iter_append_fixed_array(&array, 'y', &start, count);
        dbus_message_iter_close_container(&at, &array);
    }
    if (writes || request->reads) {
        dbus_message_iter_open_container(&at, 'a', "{sv}", &array);
        dbus_message_iter_close_container(&at, &array);
    }
    DBusPendingCall *pending = NULL;
    if (dbus_connection_send_with_reply(bus, call, &pending, 30000) && pending) dbus_pending_call_set_notify(pending, replied, request, free);
    dbus_message_unref(call);
}

static void call_and_wait(const char *path, const char *interface, const char *member) {
    DBusMessage *call = dbus_message_new_method_call("org.bluez", path, interface, member);
    DBusError error;
    dbus_error_init(&error);
    DBusMessage *reply = dbus_connection_send_with_reply_and_block(bus, call, 30000, &error);
    if (!reply) fail("floor", error.message);
    dbus_message_unref(reply);
    dbus_message_unref(call);
}

int main(int count, char **arguments) {
    DBusError error;
    if (count < 3) fail("floor", "usage: floor PORT QOS [drop]");
    qos = atoi(arguments[2]);
    drops = count > 3;
    dbus_error_init(&error);
    bus = dbus_bus_get_private(DBUS_BUS_SYSTEM, &error);
    if (!bus) fail("floor", error.message);
    dbus_connection_set_max_received_size(bus, 64 << 20);
    dbus_bus_add_match(bus, "type='signal',sender='org.bluez',interface='org.freedesktop.DBus.Properties',"
        "member='PropertiesChanged',path_namespace='/org/bluez'", NULL);
    dbus_bus_add_match(bus, "type='signal',sender='org.bluez',interface='org.freedesktop.DBus.ObjectManager'", NULL);
    dbus_connection_add_filter(bus, signal_came, NULL, NULL);
    mosquitto_lib_init();
    client = mosquitto_new(NULL, true, NULL);
    mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1);
    mosquitto_max_inflight_messages_set(client, 0);
    mosquitto_message_callback_set(client, message_came);
    if (mosquitto_connect(client, "127.0.0.1", atoi(arguments[1]), 60)) fail("floor", "no broker");
    call_and_wait("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects");
    call_and_wait("/org/bluez/hci0", "org.bluez.Adapter1", "StartDiscovery");
    mosquitto_subscribe(client, NULL, "f/req/+", qos);
    int descriptor = -1;
    dbus_connection_get_unix_fd(bus, &descriptor);
    for (;;) {
        while (dbus_connection_dispatch(bus) == DBUS_DISPATCH_DATA_REMAINS) {}
        struct pollfd polls[2] = {
            {descriptor, (short)(POLLIN | (dbus_connection_has_messages_to_send(bus) ? POLLOUT : 0)), 0},
            {mosquitto_socket(client), (short)(POLLIN | (mosquitto_want_write(client) ? POLLOUT : 0)), 0},
        };
        if (poll(polls, 2, 1000) > 0) {
            if (polls[0].revents && !dbus_connection_read_write(bus, 0)) return 0;
            if (polls[1].revents & POLLIN) mosquitto_loop_read(client, 64);
        }
        if (mosquitto_want_write(client)) mosquitto_loop_write(client, 64);
        if (mosquitto_loop_misc(client)) return 0;
    }
}
