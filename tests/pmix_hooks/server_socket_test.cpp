#include "pmix_hooks/server_socket.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace commmap::hooks {
namespace {

class File {
public:
    explicit File(int number) : number_(number) {}
    ~File() {
        if (number_ >= 0) ::close(number_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    operator int() const { return number_; }

private:
    int number_;
};

/// Listens on a port of its own of 127.0.0.1.
struct Server {
    File socket{::socket(AF_INET, SOCK_STREAM, 0)};
    sockaddr_in address{};

    Server() {
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        EXPECT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), length), 0);
        EXPECT_EQ(::listen(socket, 1), 0);
        EXPECT_EQ(::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length), 0);
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
    const File to_other(other.connected());
    const File to_pmix(pmix.connected());
    ::setenv("PMIX_SERVER_URI2", ("pmix-server.17;tcp4://127.0.0.1:" + pmix.port()).c_str(), 1);

    send_to_server_at_once();

    EXPECT_TRUE(sends_at_once(to_pmix));
    EXPECT_FALSE(sends_at_once(to_other));
}

TEST_F(ServerSocket, NoneWhereNoServerIsNamed) {
    const Server pmix;
    const File to_pmix(pmix.connected());
    const std::string port = pmix.port();
    send_to_server_at_once();
    for (const std::string& uri :
         {std::string{}, std::string("pmix-server.17;tcp4://10.0.0.1:") + port,
          std::string("tcp4://127.0.0.1:"), "tcp4://127.0.0.1:" + port + "0000",
          "pmix-server.17;usock:" + port}) {
        ::setenv("PMIX_SERVER_URI41", uri.c_str(), 1);
        send_to_server_at_once();
    }

    EXPECT_FALSE(sends_at_once(to_pmix));
}

}  // namespace
}  // namespace commmap::hooks
