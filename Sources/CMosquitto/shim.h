#pragma once
#include <mosquitto.h>
#include <mqtt_protocol.h>

// OpenSSL, declared here so that its headers stay out: libmosquitto already links it.
// Bytes that OpenSSL has decrypted and nobody has read yet: epoll does not know of them.
int SSL_pending(const void *ssl);
// X509_V_* of the last handshake: 20 unknown issuer, 10 expired.
long SSL_get_verify_result(const void *ssl);
const char *X509_verify_cert_error_string(long code);
