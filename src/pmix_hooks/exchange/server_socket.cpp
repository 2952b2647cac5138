// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/exchange/server_socket.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <string_view>

namespace commmap::hooks {
namespace {

/// Returns the port in "pmix-server.17;tcp4://127.0.0.1:37373"; 0 for any other text.
in_port_t port_in(std::string_view uri) noexcept {
    constexpr std::string_view before = "tcp4://127.0.0.1:";
    in_port_t port = 0;
    const std::size_t at = uri.find(before);
    if (at == std::string_view::npos) return 0;
    uri.remove_prefix(at + before.size());
    std::from_chars(uri.data(), uri.data() + uri.size(), port);
    return port;
}

in_port_t server_port() noexcept {
    for (const char* name : {"PMIX_SERVER_URI41", "PMIX_SERVER_URI4", "PMIX_SERVER_URI3",
                             "PMIX_SERVER_URI21", "PMIX_SERVER_URI2"})
        if (const char* uri = std::getenv(name))
            if (const in_port_t port = port_in(uri); port != 0) return port;
    return 0;
}

}  // namespace

void send_to_server_at_once() noexcept {
    const in_port_t port = server_port();
    if (port == 0) return;
    // MPI_Init has opened the socket among the process's first files, after those of its parents.
    constexpr int most_files = 1024;
    for (int fd = 0; fd < most_files; ++fd) {
        sockaddr_in peer{};
        socklen_t length = sizeof peer;
        if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &length) != 0 ||
            peer.sin_family != AF_INET || peer.sin_port != htons(port) ||
            peer.sin_addr.s_addr != htonl(INADDR_LOOPBACK))
            continue;
        const int on = 1;
        ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        return;
    }
}

}  // namespace commmap::hooks
