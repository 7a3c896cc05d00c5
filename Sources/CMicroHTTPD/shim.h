#pragma once
#include <dlfcn.h>
#include <microhttpd.h>

// The library's functions. It is loaded when somebody serves: it brings GnuTLS and seven libraries more, which would
// take more than 2 MiB of every process.
typedef struct {
    __typeof__(MHD_start_daemon) *start_daemon;
    __typeof__(MHD_stop_daemon) *stop_daemon;
    __typeof__(MHD_get_daemon_info) *get_daemon_info;
    __typeof__(MHD_run) *run;
    __typeof__(MHD_get_timeout) *get_timeout;
    __typeof__(MHD_create_response_from_buffer) *create_response_from_buffer;
    __typeof__(MHD_add_response_header) *add_response_header;
    __typeof__(MHD_queue_response) *queue_response;
    __typeof__(MHD_destroy_response) *destroy_response;
    __typeof__(MHD_get_version) *get_version;
} cmicrohttpd_functions;

// Finds them; 0 when the library, or one of them, is not there.
static inline int cmicrohttpd_load(cmicrohttpd_functions *functions) {
    void *library = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
    return (functions->start_daemon = dlsym(library, "MHD_start_daemon")) &&
        (functions->stop_daemon = dlsym(library, "MHD_stop_daemon")) &&
        (functions->get_daemon_info = dlsym(library, "MHD_get_daemon_info")) &&
        (functions->run = dlsym(library, "MHD_run")) &&
        (functions->get_timeout = dlsym(library, "MHD_get_timeout")) &&
        (functions->create_response_from_buffer = dlsym(library, "MHD_create_response_from_buffer")) &&
        (functions->add_response_header = dlsym(library, "MHD_add_response_header")) &&
        (functions->queue_response = dlsym(library, "MHD_queue_response")) &&
        (functions->destroy_response = dlsym(library, "MHD_destroy_response")) &&
        (functions->get_version = dlsym(library, "MHD_get_version"));
}

// MHD_start_daemon is variadic, which does not import. No thread of its own: whoever watches the epoll descriptor
// calls MHD_run.
static inline struct MHD_Daemon *cmicrohttpd_start(
    const cmicrohttpd_functions *functions, const struct sockaddr *address, int is_ipv6,
    MHD_AccessHandlerCallback answer, void *context, unsigned connections, unsigned seconds, size_t bytes) {
    return functions->start_daemon(
        MHD_USE_EPOLL | (is_ipv6 ? MHD_USE_IPv6 : 0), 0, NULL, NULL, answer, context,
        MHD_OPTION_SOCK_ADDR, address, MHD_OPTION_CONNECTION_LIMIT, connections,
        MHD_OPTION_CONNECTION_TIMEOUT, seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT, bytes, MHD_OPTION_END);
}

// The descriptor that is readable when there is something to do; -1 when there is none.
static inline int cmicrohttpd_epoll(const cmicrohttpd_functions *functions, struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = functions->get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}

// The port that the kernel chose for port 0; 0 when it is not known.
static inline int cmicrohttpd_port(const cmicrohttpd_functions *functions, struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = functions->get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : 0;
}
