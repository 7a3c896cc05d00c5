/* rig.h - what the rig's programs share: a clock, and the mark by which a value is found again.
 *
 * A mark is 15 bytes: B1 E5 C0, the time of sending (CLOCK_MONOTONIC, ns, u64 big endian), a number (u32 big endian).
 * Whole base64 quanta and a fixed beginning, so that it is found in hex and in base64.
 */
#ifndef RIG_H
#define RIG_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MARK_BYTES 15

static inline uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline void put_mark(uint8_t *out, uint32_t number) {
    uint64_t time = now_ns();
    out[0] = 0xB1;
    out[1] = 0xE5;
    out[2] = 0xC0;
    for (int i = 0; i < 8; i++) out[3 + i] = (uint8_t)(time >> (56 - 8 * i));
    for (int i = 0; i < 4; i++) out[11 + i] = (uint8_t)(number >> (24 - 8 * i));
}

static inline int hex_digit(uint8_t c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The next mark in a payload, in hex or base64; returns where to look on, or NULL. */
static inline const uint8_t *next_mark(const uint8_t *at, const uint8_t *end, uint64_t *time, uint32_t *number) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint8_t mark[MARK_BYTES];
    const uint8_t *hex = memmem(at, (size_t)(end - at), "b1e5c0", 6);
    if (hex && end - hex >= 2 * MARK_BYTES) {
        for (int i = 0; i < MARK_BYTES; i++) mark[i] = (uint8_t)(hex_digit(hex[2 * i]) << 4 | hex_digit(hex[2 * i + 1]));
        at = hex + 2 * MARK_BYTES;
    } else {
        const uint8_t *text = memmem(at, (size_t)(end - at), "seXA", 4);
        if (!text || end - text < 20) return NULL;
        for (int i = 0; i < 5; i++) {
            uint32_t bits = 0;
            for (int k = 0; k < 4; k++) {
                const char *digit = strchr(digits, text[4 * i + k]);
                bits = bits << 6 | (digit ? (uint32_t)(digit - digits) : 0);
            }
            for (int k = 0; k < 3; k++) mark[3 * i + k] = (uint8_t)(bits >> (16 - 8 * k));
        }
        at = text + 20;
    }
    *time = 0;
    *number = 0;
    for (int i = 3; i < 11; i++) *time = *time << 8 | mark[i];
    for (int i = 11; i < MARK_BYTES; i++) *number = *number << 8 | mark[i];
    return at;
}

static inline void fail(const char *program, const char *why) {
    fprintf(stderr, "%s: %s\n", program, why);
    exit(2);
}
#endif
