// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/exchange/server_socket.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "core/base/handle.hpp"

namespace commmap::hooks {
namespace {

/// Listens on a port of its own of 127.0.0.1.
struct Server {
    FileDescriptor socket{::socket(AF_INET, SOCK_STREAM, 0)};
    sockaddr_in address{};

    Server() {
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        EXPECT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), length), 0);
        EXPECT_EQ(::listen(socket.get(), 1), 0);
        EXPECT_EQ(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &length), 0);
    }
    [[nodiscard]] int connected() const {
        const int client = ::socket(AF_INET, SOCK_STREAM, 0);
        EXPECT_EQ(::connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address),
                  0);
        return client;
    }
    [[nodiscard]] std::string port() const { return std::to_string(ntohs(address.sin_port)); }
};

bool sends_at_once(int socket) {
    int on = -1;
    socklen_t length = sizeof on;
    EXPECT_EQ(::getsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, &length), 0);
    return on != 0;
}

class ServerSocket : public testing::Test {
protected:
    ServerSocket() { clear(); }
    ~ServerSocket() override { clear(); }
    static void clear() {
        for (const char* name : {"PMIX_SERVER_URI41", "PMIX_SERVER_URI4", "PMIX_SERVER_URI3",
                                 "PMIX_SERVER_URI21", "PMIX_SERVER_URI2"})
            ::unsetenv(name);
    }
};

TEST_F(ServerSocket, OnlyTheOneToThePmixServerSendsAtOnce) {
    const Server pmix;
    const Server other;
    const FileDescriptor to_other(other.connected());
    const FileDescriptor to_pmix(pmix.connected());
    ::setenv("PMIX_SERVER_URI2", ("pmix-server.17;tcp4://127.0.0.1:" + pmix.port()).c_str(), 1);

    send_to_server_at_once();

    EXPECT_TRUE(sends_at_once(to_pmix.get()));
    EXPECT_FALSE(sends_at_once(to_other.get()));
}

TEST_F(ServerSocket, NoneWhereNoServerIsNamed) {
    const Server pmix;
    const FileDescriptor to_pmix(pmix.connected());
    const std::string port = pmix.port();
    send_to_server_at_once();
    for (const std::string& uri :
         {std::string{}, std::string("pmix-server.17;tcp4://10.0.0.1:") + port,
          std::string("tcp4://127.0.0.1:"), "tcp4://127.0.0.1:" + port + "0000",
          "pmix-server.17;usock:" + port}) {
        ::setenv("PMIX_SERVER_URI41", uri.c_str(), 1);
        send_to_server_at_once();
    }

    EXPECT_FALSE(sends_at_once(to_pmix.get()));
}

}  // namespace
}  // namespace commmap::hooks
