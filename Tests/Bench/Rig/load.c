/* load - the other side of a bridge: gives it work over MQTT and measures. One JSON object on stdout.
 *
 *   load commands ...  requests, each timed until its answer        load probe ...  one request again and again, until
 *   load adverts ...   has the radio advertise                                      it is answered: the start is over
 *   load fresh ...     the same, each from a device nobody knows    load notify ... has what is subscribed notify
 *
 *   --port N --count N --rate PER_SECOND --seconds LIMIT --qos N
 *   --topic T --payload P   what is sent; {id} {marked} (a value in hex) {addr} C0_DE_.. {hex} c0de..
 *   --filter F              where answers or messages arrive;  --good TEXT  what a good answer holds
 *   --window N --devices N  how many requests are under way, and over how many devices;  --first N  the first id
 */
#define _GNU_SOURCE
#include "rig.h"

#include <dbus/dbus.h>
#include <mosquitto.h>
#include <poll.h>
#include <stdbool.h>

static const char *mode, *topic = "", *payload = "", *filter = "", *good = "";
static int port, qos, window = 1;
static uint32_t count = 1000, devices = 1, first_id, sent, answered, bad, repeated;
static double rate, limit_s = 60;
static struct mosquitto *client;
static DBusConnection *bus;
static bool subscribed, done, probes, commands;
static uint64_t *times, *latencies, first_ns, last_ns, last_bytes;
static uint8_t *seen;
static char sample[256];

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static double quantile(double part) {
    return answered ? (double)latencies[(uint32_t)(part * (answered - 1) + 0.5)] / 1e3 : -1;
}

static void expand(const char *template, char *out, uint32_t id) {
    uint32_t device = id % devices, a = device >> 16 & 255, b = device >> 8 & 255, c = device & 255;
    while (*template) {
        if (!strncmp(template, "{id}", 4)) out += sprintf(out, "%u", id), template += 4;
        else if (!strncmp(template, "{addr}", 6)) out += sprintf(out, "C0_DE_00_%02X_%02X_%02X", a, b, c), template += 6;
        else if (!strncmp(template, "{hex}", 5)) out += sprintf(out, "c0de00%02x%02x%02x", a, b, c), template += 5;
        else if (!strncmp(template, "{marked}", 8)) {
            uint8_t mark[MARK_BYTES];
            put_mark(mark, id);
            for (int i = 0; i < MARK_BYTES; i++) out += sprintf(out, "%02x", mark[i]);
            template += 8;
        } else *out++ = *template++;
    }
    *out = 0;
}

static void send_one(void) {
    char to[512], what[2048];
    expand(topic, to, first_id + sent);
    expand(payload, what, first_id + sent);
    times[sent++] = now_ns();
    mosquitto_publish(client, NULL, to, (int)strlen(what), what, qos, false);
}

static void answer_came(const uint8_t *text, size_t length, uint64_t now) {
    const char *at = memmem(text, length, "\"id\":", 5);
    uint32_t id = at ? (uint32_t)strtoul(at + 5, NULL, 10) - first_id : UINT32_MAX;
    if (id >= sent || !times[id]) return;
    if (!memmem(text, length, good, strlen(good))) {
        if (!probes) bad++;
        if (!sample[0]) snprintf(sample, sizeof sample, "%.*s", (int)(length < 200 ? length : 200), (const char *)text);
        if (probes) return;
    }
    latencies[answered++] = now - times[id];
    times[id] = 0;
    if (probes || answered == count) done = true;
    else if (sent < count) send_one();
}

static void message_came(struct mosquitto *from, void *nothing, const struct mosquitto_message *message) {
    uint64_t now = now_ns(), time;
    uint32_t number;
    const uint8_t *at = message->payload, *end = at + message->payloadlen;
    char text[8192];
    (void)from;
    (void)nothing;
    if (message->retain) return;
    if (commands) {
        size_t length = (size_t)message->payloadlen < sizeof text - 1 ? (size_t)message->payloadlen : sizeof text - 1;
        memcpy(text, message->payload, length);
        text[length] = 0;
        last_ns = now;
        answer_came((const uint8_t *)text, length, now);
        return;
    }
    last_bytes += (uint64_t)message->payloadlen;
    while ((at = next_mark(at, end, &time, &number))) {
        if (time < first_ns || number >= count) continue;
        if (seen[number]++) {
            repeated++;
            continue;
        }
        latencies[answered++] = now - time;
        last_ns = now;
        if (answered == count) done = true;
    }
}

static void subscription_came(struct mosquitto *from, void *nothing, int id, int grants, const int *granted) {
    (void)from;
    (void)nothing;
    (void)id;
    (void)grants;
    (void)granted;
    subscribed = true;
}

static void turn(int milliseconds) {
    struct pollfd poller = {mosquitto_socket(client), (short)(POLLIN | (mosquitto_want_write(client) ? POLLOUT : 0)), 0};
    poll(&poller, 1, milliseconds);
    if (poller.revents & POLLIN) mosquitto_loop_read(client, 64);
    if (mosquitto_want_write(client)) mosquitto_loop_write(client, 64);
    if (mosquitto_loop_misc(client)) fail("load", "the broker is gone");
}

static DBusMessage *ask_radio(const char *member, int with_flag) {
    DBusMessage *call = dbus_message_new_method_call("org.bluez", "/rig", "rig.Radio1", member);
    dbus_uint64_t total = count;
    dbus_bool_t fresh = !strcmp(mode, "fresh");
    DBusError error;
    dbus_error_init(&error);
    if (with_flag >= 0) dbus_message_append_args(call, 'd', &rate, 't', &total, 0);
    if (with_flag > 0) dbus_message_append_args(call, 'b', &fresh, 0);
    DBusMessage *reply = dbus_connection_send_with_reply_and_block(bus, call, 5000, &error);
    if (!reply) fail("load", error.message);
    dbus_message_unref(call);
    return reply;
}

static void run_commands(uint64_t limit) {
    uint64_t next = 0;
    if (!probes) while (sent < count && (int)sent < window) send_one();
    while (!done && now_ns() < limit) {
        if (probes && now_ns() >= next && sent < count) {
            send_one();
            next = now_ns() + 2000000;
        }
        turn(probes ? 1 : 20);
    }
}

static void run_flow(uint64_t limit) {
    DBusError error;
    dbus_error_init(&error);
    bus = dbus_bus_get_private(DBUS_BUS_SYSTEM, &error);
    if (!bus) fail("load", error.message);
    first_ns = now_ns();
    dbus_message_unref(ask_radio(!strcmp(mode, "notify") ? "Notify" : "Advertise", !strcmp(mode, "notify") ? 0 : 1));
    /* What has not come two seconds after the last is lost. */
    uint64_t quiet = first_ns + (uint64_t)(rate > 0 ? count / rate * 1e9 : 0);
    while (!done && now_ns() < limit && now_ns() < (last_ns > quiet ? last_ns : quiet) + 2000000000u) turn(20);
}

int main(int arguments, char **argument) {
    mode = arguments > 1 ? argument[1] : "";
    probes = !strcmp(mode, "probe");
    commands = probes || !strcmp(mode, "commands");
    for (int i = 2; i + 1 < arguments; i += 2) {
        const char *name = argument[i], *value = argument[i + 1];
        if (!strcmp(name, "--port")) port = atoi(value);
        else if (!strcmp(name, "--qos")) qos = atoi(value);
        else if (!strcmp(name, "--count")) count = (uint32_t)atoi(value);
        else if (!strcmp(name, "--window")) window = atoi(value);
        else if (!strcmp(name, "--devices")) devices = (uint32_t)atoi(value);
        else if (!strcmp(name, "--first")) first_id = (uint32_t)strtoul(value, NULL, 10);
        else if (!strcmp(name, "--rate")) rate = atof(value);
        else if (!strcmp(name, "--seconds")) limit_s = atof(value);
        else if (!strcmp(name, "--topic")) topic = value;
        else if (!strcmp(name, "--payload")) payload = value;
        else if (!strcmp(name, "--filter")) filter = value;
        else if (!strcmp(name, "--good")) good = value;
        else fail("load", "unknown option");
    }
    times = calloc(count + 1, sizeof *times);
    latencies = calloc(count + 1, sizeof *latencies);
    seen = calloc(count + 1, 1);
    mosquitto_lib_init();
    client = mosquitto_new(NULL, true, NULL);
    mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1);
    mosquitto_max_inflight_messages_set(client, 0);
    mosquitto_message_callback_set(client, message_came);
    mosquitto_subscribe_callback_set(client, subscription_came);
    if (mosquitto_connect(client, "127.0.0.1", port, 60)) fail("load", "no broker");
    mosquitto_subscribe(client, NULL, filter, qos);
    uint64_t limit = now_ns() + 5000000000u;
    while (!subscribed && now_ns() < limit) turn(10);
    uint64_t start = now_ns();
    limit = start + (uint64_t)(limit_s * 1e9);
    if (commands) run_commands(limit);
    else run_flow(limit);
    double span = (double)(last_ns - (commands ? start : first_ns)) / 1e9;
    qsort(latencies, answered, sizeof *latencies, ascending);
    printf("{\"count\":%u,\"got\":%u,\"bad\":%u,\"repeated\":%u,\"bytes\":%llu,\"rate\":%.1f,\"p50\":%.1f,\"p95\":%.1f,\"p99\":%.1f,"
        "\"max\":%.1f,\"span\":%.4f,\"end\":%llu,\"sample\":\"",
        probes ? 1 : count, answered, bad, repeated, (unsigned long long)last_bytes, answered && span > 0 ? answered / span : 0,
        quantile(.5), quantile(.95), quantile(.99), quantile(1), span, (unsigned long long)last_ns);
    for (const char *c = sample; *c; c++) {
        if (*c == '"' || *c == '\\') putchar('\\');
        if ((unsigned char)*c >= 32) putchar(*c);
    }
    printf("\"}\n");
    mosquitto_disconnect(client);
    return 0;
}
