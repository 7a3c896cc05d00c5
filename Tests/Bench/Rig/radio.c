/* radio - bluetoothd's D-Bus surface without bluetoothd, fast enough not to be what is measured.
 *
 *   radio --devices 100 --linked 50 [--bytes 20]
 *
 * One adapter, hci0, and devices C0:DE:00:xx:xx:xx that have one service each: service0100 with char0101, which reads
 * and writes, and char0104, which reads and notifies. What BlueZ 5.66 does and a client may stumble over is copied: an
 * advertisement is one PropertiesChanged; ReadValue tells the value as a change before it answers; objects stay when
 * the link goes; a second write on a characteristic under way is refused. There is no radio: everything is answered at
 * once. Each advertisement carries a mark (rig.h) as manufacturer data FFFF, each notification begins with one.
 *
 * Control, interface rig.Radio1 on /rig:
 *   Advertise(d perSecond, t count, b fresh)  0 a second: as fast as the bus takes them; count 0: until Stop;
 *                                             fresh: each from a device that nobody has seen and that never returns
 *   Notify(d perSecond, t count)              round robin over what is subscribed
 *   Stop()
 *   Sent() -> t advertisements, t notifications, d latestMs  (how late the latest one was)
 */
#define _GNU_SOURCE
#include "rig.h"

#include <dbus/dbus.h>
#include <poll.h>
#include <stdbool.h>

#define ADAPTER "/org/bluez/hci0"
#define ADAPTER_INTERFACE "org.bluez.Adapter1"
#define DEVICE_INTERFACE "org.bluez.Device1"
#define SERVICE_INTERFACE "org.bluez.GattService1"
#define CHARACTERISTIC_INTERFACE "org.bluez.GattCharacteristic1"
#define CONTROL_INTERFACE "rig.Radio1"
#define MOST_DEVICES 200000u
#define KEPT_FRESH 200u
#define READS 0
#define NOTIFIES 1

typedef struct {
    bool known, linked, resolved, notifying;
    int16_t rssi;
    uint8_t mark[MARK_BYTES];
} Device;

typedef struct {
    double rate;
    uint64_t left, start, done, number;
    bool on, endless, fresh;
} Flow;

static DBusConnection *bus;
static Device *devices;
static uint32_t device_count, first_fresh, next_advertiser, next_notifier;
static uint32_t notifying_count;
static int value_bytes = 20;
static bool discovering;
static double latest_ms;
static Flow advertising, notifying;

/* Building messages */

static void add(DBusMessageIter *at, int type, const void *value) {
    if (!dbus_message_iter_append_basic(at, type, value)) fail("radio", "out of memory");
}

static void add_text(DBusMessageIter *at, const char *text) { add(at, 's', &text); }

static void open(DBusMessageIter *at, int type, const char *signature, DBusMessageIter *inner) {
    if (!dbus_message_iter_open_container(at, type, signature, inner)) fail("radio", "out of memory");
}

static void add_bytes(DBusMessageIter *at, const uint8_t *bytes, int count) {
    DBusMessageIter array;
    open(at, 'a', "y", &array);
    dbus_message_iter_append_fixed_array(&array, 'y', &bytes, count);
    dbus_message_iter_close_container(at, &array);
}

typedef struct {
    DBusMessageIter *dictionary, entry, variant;
} Property;

static DBusMessageIter *open_property(Property *property, DBusMessageIter *dictionary, const char *name, const char *type) {
    property->dictionary = dictionary;
    open(dictionary, 'e', NULL, &property->entry);
    add_text(&property->entry, name);
    open(&property->entry, 'v', type, &property->variant);
    return &property->variant;
}

static void close_property(Property *property) {
    dbus_message_iter_close_container(&property->entry, &property->variant);
    dbus_message_iter_close_container(property->dictionary, &property->entry);
}

static void basic(DBusMessageIter *dictionary, const char *name, int type, const void *value) {
    Property property;
    char signature[2] = {(char)type, 0};
    add(open_property(&property, dictionary, name, signature), type, value);
    close_property(&property);
}

static void text(DBusMessageIter *dictionary, const char *name, const char *value) { basic(dictionary, name, 's', &value); }
static void path(DBusMessageIter *dictionary, const char *name, const char *value) { basic(dictionary, name, 'o', &value); }

static void flag(DBusMessageIter *dictionary, const char *name, bool value) {
    dbus_bool_t number = value;
    basic(dictionary, name, 'b', &number);
}

static void texts(DBusMessageIter *dictionary, const char *name, const char *const *values, int count) {
    Property property;
    DBusMessageIter array, *variant = open_property(&property, dictionary, name, "as");
    open(variant, 'a', "s", &array);
    for (int i = 0; i < count; i++) add_text(&array, values[i]);
    dbus_message_iter_close_container(variant, &array);
    close_property(&property);
}

static void bytes(DBusMessageIter *dictionary, const char *name, const uint8_t *value, int count) {
    Property property;
    add_bytes(open_property(&property, dictionary, name, "ay"), value, count);
    close_property(&property);
}

static void send_off(DBusMessage *message) {
    dbus_connection_send(bus, message, NULL);
    dbus_message_unref(message);
}

/* Names */

static void address_of(uint32_t device, char separator, char *out) {
    char s = separator;
    sprintf(out, "C0%cDE%c00%c%02X%c%02X%c%02X", s, s, s, device >> 16 & 255, s, device >> 8 & 255, s, device & 255);
}

static void path_of(uint32_t device, int characteristic, char *out) {
    char address[18];
    address_of(device, '_', address);
    const char *rest = characteristic == READS ? "/service0100/char0101" : characteristic == NOTIFIES ? "/service0100/char0104" : "";
    sprintf(out, ADAPTER "/dev_%s%s", address, rest);
}

/* What a path names: the device, and the characteristic or -1; false for no object of ours. */
static bool parse(const char *path, uint32_t *device, int *characteristic) {
    unsigned part[3];
    int used = 0;
    if (sscanf(path, ADAPTER "/dev_C0_DE_00_%2X_%2X_%2X%n", part, part + 1, part + 2, &used) != 3) return false;
    *device = part[0] << 16 | part[1] << 8 | part[2];
    if (*device >= device_count || !devices[*device].known) return false;
    const char *rest = path + used;
    *characteristic = !strcmp(rest, "/service0100/char0101") ? READS : !strcmp(rest, "/service0100/char0104") ? NOTIFIES : -1;
    return !*rest || *characteristic >= 0;
}

/* Properties */

static void advertised(DBusMessageIter *dictionary, uint32_t device) {
    static const char *const bthome = "0000fcd2-0000-1000-8000-00805f9b34fb";
    Device *self = &devices[device];
    uint8_t counter = self->mark[14], service_data[7] = {0x40, 0x02, counter, 0x09, 0x03, counter, 0x13};
    uint16_t company = 0xFFFF;
    Property property;
    DBusMessageIter array, entry, inner, *variant;
    basic(dictionary, "RSSI", 'n', &self->rssi);
    variant = open_property(&property, dictionary, "ManufacturerData", "a{qv}");
    open(variant, 'a', "{qv}", &array);
    open(&array, 'e', NULL, &entry);
    add(&entry, 'q', &company);
    open(&entry, 'v', "ay", &inner);
    add_bytes(&inner, self->mark, MARK_BYTES);
    dbus_message_iter_close_container(&entry, &inner);
    dbus_message_iter_close_container(&array, &entry);
    dbus_message_iter_close_container(variant, &array);
    close_property(&property);
    variant = open_property(&property, dictionary, "ServiceData", "a{sv}");
    open(variant, 'a', "{sv}", &array);
    open(&array, 'e', NULL, &entry);
    add_text(&entry, bthome);
    open(&entry, 'v', "ay", &inner);
    add_bytes(&inner, service_data, sizeof service_data);
    dbus_message_iter_close_container(&entry, &inner);
    dbus_message_iter_close_container(&array, &entry);
    dbus_message_iter_close_container(variant, &array);
    close_property(&property);
}

static void device_properties(DBusMessageIter *dictionary, uint32_t device) {
    static const char *const uuids[] = {"a0000000-b1e5-4c0d-8000-00805f9b34fb"};
    Device *self = &devices[device];
    char address[18], name[24];
    uint8_t flags = 6;
    address_of(device, ':', address);
    sprintf(name, "Rig-%06X", device);
    text(dictionary, "Address", address);
    text(dictionary, "AddressType", "random");
    text(dictionary, "Name", name);
    text(dictionary, "Alias", name);
    flag(dictionary, "Paired", false);
    flag(dictionary, "Bonded", false);
    flag(dictionary, "Trusted", false);
    flag(dictionary, "Blocked", false);
    flag(dictionary, "LegacyPairing", false);
    flag(dictionary, "Connected", self->linked);
    texts(dictionary, "UUIDs", uuids, 1);
    path(dictionary, "Adapter", ADAPTER);
    flag(dictionary, "ServicesResolved", self->linked);
    bytes(dictionary, "AdvertisingFlags", &flags, 1);
    if (self->rssi) advertised(dictionary, device);
}

static void adapter_properties(DBusMessageIter *dictionary) {
    static const char *const roles[] = {"central", "peripheral"};
    text(dictionary, "Address", "00:11:22:33:44:55");
    text(dictionary, "AddressType", "public");
    text(dictionary, "Name", "rig");
    text(dictionary, "Alias", "rig");
    flag(dictionary, "Powered", true);
    flag(dictionary, "Discoverable", false);
    flag(dictionary, "Pairable", false);
    flag(dictionary, "Discovering", discovering);
    texts(dictionary, "Roles", roles, 2);
}

static void service_properties(DBusMessageIter *dictionary, uint32_t device) {
    char owner[64];
    path_of(device, -1, owner);
    text(dictionary, "UUID", "a0000000-b1e5-4c0d-8000-00805f9b34fb");
    path(dictionary, "Device", owner);
    flag(dictionary, "Primary", true);
}

static void characteristic_properties(DBusMessageIter *dictionary, uint32_t device, int characteristic) {
    static const char *const writes[] = {"read", "write-without-response", "write"}, *const notifies[] = {"read", "notify"};
    char owner[96];
    path_of(device, -1, owner);
    strcat(owner, "/service0100");
    text(dictionary, "UUID", characteristic == READS ? "b0000000-b1e5-4c0d-8000-00805f9b34fb" : "b0000001-b1e5-4c0d-8000-00805f9b34fb");
    path(dictionary, "Service", owner);
    if (characteristic == READS) texts(dictionary, "Flags", writes, 3);
    else texts(dictionary, "Flags", notifies, 2);
    if (characteristic == NOTIFIES) flag(dictionary, "Notifying", devices[device].notifying);
    uint16_t mtu = 247;
    basic(dictionary, "MTU", 'q', &mtu);
}

/* Objects: '/' the daemon's own, 'a' adapter, 'd' device, 's' service, 'c' characteristic */

static void interfaces(DBusMessageIter *at, char kind, uint32_t device, int characteristic) {
    static const char *const common[] = {"org.freedesktop.DBus.Introspectable", "org.freedesktop.DBus.Properties"};
    DBusMessageIter all, entry, dictionary;
    const char *name = kind == '/' ? "org.bluez.AgentManager1" : kind == 'a' ? ADAPTER_INTERFACE : kind == 'd' ? DEVICE_INTERFACE
        : kind == 's' ? SERVICE_INTERFACE : CHARACTERISTIC_INTERFACE;
    open(at, 'a', "{sa{sv}}", &all);
    for (int i = -1; i < 2; i++) {
        open(&all, 'e', NULL, &entry);
        add_text(&entry, i < 0 ? name : common[i]);
        open(&entry, 'a', "{sv}", &dictionary);
        if (i < 0 && kind == 'a') adapter_properties(&dictionary);
        if (i < 0 && kind == 'd') device_properties(&dictionary, device);
        if (i < 0 && kind == 's') service_properties(&dictionary, device);
        if (i < 0 && kind == 'c') characteristic_properties(&dictionary, device, characteristic);
        dbus_message_iter_close_container(&entry, &dictionary);
        dbus_message_iter_close_container(&all, &entry);
    }
    dbus_message_iter_close_container(at, &all);
}

typedef void Visitor(DBusMessageIter *to, const char *path, char kind, uint32_t device, int characteristic);

static void list(DBusMessageIter *to, const char *path, char kind, uint32_t device, int characteristic) {
    DBusMessageIter entry;
    open(to, 'e', NULL, &entry);
    add(&entry, 'o', &path);
    interfaces(&entry, kind, device, characteristic);
    dbus_message_iter_close_container(to, &entry);
}

static void announce(DBusMessageIter *to, const char *path, char kind, uint32_t device, int characteristic) {
    DBusMessage *message = dbus_message_new_signal("/", "org.freedesktop.DBus.ObjectManager", "InterfacesAdded");
    DBusMessageIter at;
    (void)to;
    dbus_message_iter_init_append(message, &at);
    add(&at, 'o', &path);
    interfaces(&at, kind, device, characteristic);
    send_off(message);
}

static void visit_attributes(uint32_t device, Visitor *visit, DBusMessageIter *to) {
    char path[96];
    path_of(device, -1, path);
    strcat(path, "/service0100");
    visit(to, path, 's', device, 0);
    for (int c = READS; c <= NOTIFIES; c++) {
        path_of(device, c, path);
        visit(to, path, 'c', device, c);
    }
}

static void object_tree(DBusMessage *call) {
    DBusMessage *reply = dbus_message_new_method_return(call);
    DBusMessageIter at, all;
    char path[96];
    dbus_message_iter_init_append(reply, &at);
    open(&at, 'a', "{oa{sa{sv}}}", &all);
    list(&all, "/org/bluez", '/', 0, 0);
    list(&all, ADAPTER, 'a', 0, 0);
    for (uint32_t i = 0; i < device_count; i++) {
        if (!devices[i].known) continue;
        path_of(i, -1, path);
        list(&all, path, 'd', i, 0);
        if (devices[i].resolved) visit_attributes(i, list, &all);
    }
    dbus_message_iter_close_container(&at, &all);
    send_off(reply);
}

static DBusMessage *begin_change(const char *path, const char *interface, DBusMessageIter *at, DBusMessageIter *dictionary) {
    DBusMessage *message = dbus_message_new_signal(path, "org.freedesktop.DBus.Properties", "PropertiesChanged");
    dbus_message_iter_init_append(message, at);
    add_text(at, interface);
    open(at, 'a', "{sv}", dictionary);
    return message;
}

static void end_change(DBusMessage *message, DBusMessageIter *at, DBusMessageIter *dictionary) {
    DBusMessageIter invalidated;
    dbus_message_iter_close_container(at, dictionary);
    open(at, 'a', "s", &invalidated);
    dbus_message_iter_close_container(at, &invalidated);
    send_off(message);
}

static void tell_flag(const char *path, const char *interface, const char *name, bool value) {
    DBusMessageIter at, dictionary;
    DBusMessage *message = begin_change(path, interface, &at, &dictionary);
    flag(&dictionary, name, value);
    end_change(message, &at, &dictionary);
}

static void tell_value(uint32_t device, int characteristic, const uint8_t *value) {
    char path[96];
    DBusMessageIter at, dictionary;
    path_of(device, characteristic, path);
    DBusMessage *message = begin_change(path, CHARACTERISTIC_INTERFACE, &at, &dictionary);
    bytes(&dictionary, "Value", value, value_bytes);
    end_change(message, &at, &dictionary);
}

/* Traffic */

static void forget(uint32_t device) {
    DBusMessage *message = dbus_message_new_signal("/", "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved");
    DBusMessageIter at, names;
    char path[96];
    const char *pointer = path;
    path_of(device, -1, path);
    dbus_message_iter_init_append(message, &at);
    add(&at, 'o', &pointer);
    open(&at, 'a', "s", &names);
    add_text(&names, DEVICE_INTERFACE);
    dbus_message_iter_close_container(&at, &names);
    send_off(message);
    devices[device].known = false;
}

static void advertise(void) {
    char path[96];
    if (advertising.fresh) {
        if (device_count == MOST_DEVICES) device_count = first_fresh;
        uint32_t device = device_count++;
        devices[device] = (Device){.known = true, .rssi = (int16_t)(-40 - (int)(advertising.number % 50))};
        put_mark(devices[device].mark, (uint32_t)advertising.number++);
        path_of(device, -1, path);
        announce(NULL, path, 'd', device, 0);
        /* bluetoothd forgets what it does not hear again. */
        if (device >= first_fresh + KEPT_FRESH && devices[device - KEPT_FRESH].known) forget(device - KEPT_FRESH);
        return;
    }
    uint32_t device = next_advertiser++ % first_fresh;
    DBusMessageIter at, dictionary;
    devices[device].rssi = (int16_t)(-40 - (int)(advertising.number % 50));
    put_mark(devices[device].mark, (uint32_t)advertising.number++);
    path_of(device, -1, path);
    DBusMessage *message = begin_change(path, DEVICE_INTERFACE, &at, &dictionary);
    advertised(&dictionary, device);
    end_change(message, &at, &dictionary);
}

static void notify(void) {
    uint8_t value[512];
    if (!notifying_count) return;
    memset(value, 0x55, sizeof value);
    do next_notifier = (next_notifier + 1) % first_fresh;
    while (!devices[next_notifier].notifying);
    put_mark(value, (uint32_t)notifying.number++);
    tell_value(next_notifier, NOTIFIES, value);
}

static void start(Flow *flow, double rate, uint64_t count, bool fresh) {
    *flow = (Flow){.rate = rate, .left = count, .start = now_ns(), .on = true, .endless = count == 0, .fresh = fresh};
    latest_ms = 0;
}

/* Sends what is due; returns the nanoseconds until there is more, or UINT64_MAX. */
static uint64_t run(Flow *flow, void (*one)(void)) {
    if (!flow->on) return UINT64_MAX;
    uint64_t now = now_ns();
    uint64_t due = flow->rate > 0 ? (uint64_t)((double)(now - flow->start) * flow->rate / 1e9) : UINT64_MAX;
    for (int i = 0; i < 64 && flow->done < due && dbus_connection_get_outgoing_size(bus) < 131072; i++) {
        double late = (double)(now - flow->start) / 1e6 - (double)flow->done * 1e3 / flow->rate;
        if (flow->rate > 0 && late > latest_ms) latest_ms = late;
        one();
        flow->done++;
        if (!flow->endless && --flow->left == 0) {
            flow->on = false;
            return UINT64_MAX;
        }
    }
    if (flow->done < due) return 0;
    uint64_t next = flow->start + (uint64_t)((double)(flow->done + 1) * 1e9 / flow->rate);
    now = now_ns();
    return next > now ? next - now : 0;
}

/* Calls */

static void refuse(DBusMessage *call, const char *name, const char *why) { send_off(dbus_message_new_error(call, name, why)); }
static void accept(DBusMessage *call) { send_off(dbus_message_new_method_return(call)); }

static void control(DBusMessage *call, const char *member) {
    double rate = 0;
    dbus_uint64_t count = 0;
    dbus_bool_t fresh = 0;
    if (!strcmp(member, "Advertise")) {
        if (!dbus_message_get_args(call, NULL, 'd', &rate, 't', &count, 'b', &fresh, 0)) return refuse(call, DBUS_ERROR_INVALID_ARGS, "dtb");
        start(&advertising, rate, count, fresh);
        accept(call);
    } else if (!strcmp(member, "Notify")) {
        if (!dbus_message_get_args(call, NULL, 'd', &rate, 't', &count, 0)) return refuse(call, DBUS_ERROR_INVALID_ARGS, "dt");
        if (!notifying_count) return refuse(call, "rig.NothingSubscribed", "nothing is subscribed");
        start(&notifying, rate, count, false);
        accept(call);
    } else if (!strcmp(member, "Stop")) {
        advertising.on = notifying.on = false;
        accept(call);
    } else if (!strcmp(member, "Sent")) {
        DBusMessage *reply = dbus_message_new_method_return(call);
        dbus_message_append_args(reply, 't', &advertising.number, 't', &notifying.number, 'd', &latest_ms, 0);
        send_off(reply);
    } else refuse(call, DBUS_ERROR_UNKNOWN_METHOD, member);
}

static void set_linked(uint32_t device, bool linked) {
    char path[96];
    path_of(device, -1, path);
    devices[device].linked = linked;
    tell_flag(path, DEVICE_INTERFACE, "Connected", linked);
    if (linked && !devices[device].resolved) visit_attributes(device, announce, NULL);
    devices[device].resolved = true;
    if (devices[device].notifying && !linked) notifying_count--;
    if (!linked) devices[device].notifying = false;
    tell_flag(path, DEVICE_INTERFACE, "ServicesResolved", linked);
}

static void device_called(DBusMessage *call, const char *member, uint32_t device) {
    if (!strcmp(member, "Connect")) {
        if (!devices[device].linked) set_linked(device, true);
        accept(call);
    } else if (!strcmp(member, "Disconnect")) {
        if (!devices[device].linked) return refuse(call, "org.bluez.Error.NotConnected", "Not Connected");
        set_linked(device, false);
        accept(call);
    } else refuse(call, DBUS_ERROR_UNKNOWN_METHOD, member);
}

static void characteristic_called(DBusMessage *call, const char *member, uint32_t device, int characteristic) {
    static const uint8_t value[512];
    if (!devices[device].linked) return refuse(call, "org.bluez.Error.Failed", "Not connected");
    if (!strcmp(member, "ReadValue")) {
        tell_value(device, characteristic, value);
        DBusMessage *reply = dbus_message_new_method_return(call);
        DBusMessageIter at;
        dbus_message_iter_init_append(reply, &at);
        add_bytes(&at, value, value_bytes);
        send_off(reply);
    } else if (!strcmp(member, "WriteValue") && characteristic == READS) {
        accept(call);
    } else if ((!strcmp(member, "StartNotify") || !strcmp(member, "StopNotify")) && characteristic == NOTIFIES) {
        bool on = member[2] == 'a', was = devices[device].notifying;
        char path[96];
        path_of(device, characteristic, path);
        devices[device].notifying = on;
        if (on && !was) notifying_count++;
        if (!on && was) notifying_count--;
        if (on != was) tell_flag(path, CHARACTERISTIC_INTERFACE, "Notifying", on);
        accept(call);
    } else refuse(call, "org.bluez.Error.NotSupported", "Operation is not supported");
}

static DBusHandlerResult handle(DBusConnection *connection, DBusMessage *call, void *nothing) {
    (void)connection;
    (void)nothing;
    if (dbus_message_is_signal(call, DBUS_INTERFACE_LOCAL, "Disconnected")) exit(0);
    if (dbus_message_get_type(call) != DBUS_MESSAGE_TYPE_METHOD_CALL) return DBUS_HANDLER_RESULT_NOT_YET_HANDLED;
    const char *to = dbus_message_get_path(call), *interface = dbus_message_get_interface(call), *member = dbus_message_get_member(call);
    uint32_t device = 0;
    int characteristic = 0;
    if (!interface || !strcmp(interface, "org.freedesktop.DBus.Peer")) return DBUS_HANDLER_RESULT_NOT_YET_HANDLED;
    if (!strcmp(interface, CONTROL_INTERFACE)) control(call, member);
    else if (!strcmp(member, "GetManagedObjects")) object_tree(call);
    else if (!strcmp(interface, "org.bluez.AgentManager1")) accept(call);
    else if (!strcmp(to, ADAPTER) && strstr(member, "Discovery")) {
        bool before = discovering;
        if (strcmp(member, "SetDiscoveryFilter")) discovering = !strcmp(member, "StartDiscovery");
        if (before != discovering) tell_flag(ADAPTER, ADAPTER_INTERFACE, "Discovering", discovering);
        accept(call);
    } else if (!parse(to, &device, &characteristic)) refuse(call, DBUS_ERROR_UNKNOWN_OBJECT, to);
    else if (!strcmp(interface, DEVICE_INTERFACE)) device_called(call, member, device);
    else if (!strcmp(interface, CHARACTERISTIC_INTERFACE) && characteristic >= 0) characteristic_called(call, member, device, characteristic);
    else refuse(call, DBUS_ERROR_UNKNOWN_METHOD, member);
    return DBUS_HANDLER_RESULT_HANDLED;
}

int main(int count, char **arguments) {
    uint32_t linked = 0;
    device_count = 100;
    for (int i = 1; i + 1 < count; i += 2) {
        if (!strcmp(arguments[i], "--devices")) device_count = (uint32_t)atoi(arguments[i + 1]);
        else if (!strcmp(arguments[i], "--linked")) linked = (uint32_t)atoi(arguments[i + 1]);
        else if (!strcmp(arguments[i], "--bytes")) value_bytes = atoi(arguments[i + 1]);
        else fail("radio", "unknown option");
    }
    if (device_count < 1 || device_count > MOST_DEVICES / 2 || value_bytes < MARK_BYTES || value_bytes > 512) fail("radio", "out of range");
    devices = calloc(MOST_DEVICES, sizeof *devices);
    if (!devices) fail("radio", "out of memory");
    first_fresh = device_count;
    for (uint32_t i = 0; i < device_count; i++) {
        devices[i] = (Device){.known = true, .rssi = -60, .linked = i < linked, .resolved = i < linked};
        put_mark(devices[i].mark, 0);
    }
    DBusError error;
    dbus_error_init(&error);
    bus = dbus_bus_get_private(DBUS_BUS_SYSTEM, &error);
    if (!bus) fail("radio", error.message);
    dbus_connection_set_exit_on_disconnect(bus, FALSE);
    dbus_connection_add_filter(bus, handle, NULL, NULL);
    if (dbus_bus_request_name(bus, "org.bluez", DBUS_NAME_FLAG_DO_NOT_QUEUE, &error) != 1) fail("radio", "org.bluez is taken");
    int descriptor = -1;
    dbus_connection_get_unix_fd(bus, &descriptor);
    for (;;) {
        while (dbus_connection_dispatch(bus) == DBUS_DISPATCH_DATA_REMAINS) {}
        uint64_t wait = run(&advertising, advertise);
        uint64_t other = run(&notifying, notify);
        if (other < wait) wait = other;
        bool full = dbus_connection_has_messages_to_send(bus);
        /* Waits for room instead of spinning. */
        if (wait == 0 && full) wait = 1000000;
        struct timespec span = {(time_t)(wait / 1000000000u), (long)(wait % 1000000000u)};
        struct pollfd poll = {descriptor, (short)(POLLIN | (full ? POLLOUT : 0)), 0};
        int ready = ppoll(&poll, 1, wait == UINT64_MAX ? NULL : &span, NULL);
        if ((ready > 0 || full) && !dbus_connection_read_write(bus, 0)) return 0;
    }
}
