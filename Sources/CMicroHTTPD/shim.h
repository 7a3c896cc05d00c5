#pragma once
#include <microhttpd.h>

// MHD_start_daemon is variadic, which does not import. No thread of its own: whoever watches the epoll descriptor
// calls MHD_run.
static inline struct MHD_Daemon *cmicrohttpd_start(
    const struct sockaddr *address, int is_ipv6, MHD_AccessHandlerCallback answer, void *context,
    unsigned connections, unsigned seconds, size_t bytes) {
    return MHD_start_daemon(
        MHD_USE_EPOLL | (is_ipv6 ? MHD_USE_IPv6 : 0), 0, NULL, NULL, answer, context,
        MHD_OPTION_SOCK_ADDR, address, MHD_OPTION_CONNECTION_LIMIT, connections,
        MHD_OPTION_CONNECTION_TIMEOUT, seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT, bytes, MHD_OPTION_END);
}

// The descriptor that is readable when there is something to do; -1 when there is none.
static inline int cmicrohttpd_epoll(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}

// The port that the kernel chose for port 0; 0 when it is not known.
static inline int cmicrohttpd_port(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : 0;
}
