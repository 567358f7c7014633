#include "tests/support/kube/connect_proxy.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace sumac::fake {
namespace {

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

bool sendAll(int to, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t sent = ::send(to, bytes, size, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

/// Up to the empty line that ends it; empty: the connection ended before.
std::string readHead(int from) {
  std::string head;
  char byte = 0;
  while (!head.ends_with("\r\n\r\n")) {
    if (::recv(from, &byte, 1, 0) <= 0) return "";
    head += byte;
  }
  return head;
}

/// Moves what one side sends to the other; false: a side has closed.
bool move(int from, int to) {
  constexpr std::size_t kSize = 16384;
  std::array<char, kSize> bytes{};
  const ssize_t size = ::recv(from, bytes.data(), bytes.size(), 0);
  return size > 0 && sendAll(to, bytes.data(), static_cast<std::size_t>(size));
}

void tunnel(int one, int two) {
  while (true) {
    std::array<pollfd, 2> both = {pollfd{one, POLLIN, 0}, pollfd{two, POLLIN, 0}};
    if (::poll(both.data(), both.size(), -1) < 0) return;
    if (both[0].revents != 0 && !move(one, two)) return;
    if (both[1].revents != 0 && !move(two, one)) return;
  }
}

}  // namespace

class ConnectProxy::Server {
 public:
  Server() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof(address);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_, any, size) != 0 || ::listen(listener_, SOMAXCONN) != 0 ||
        ::getsockname(listener_, any, &size) != 0) {
      throw std::runtime_error("the proxy cannot listen");
    }
    port_ = ntohs(address.sin_port);
    acceptor_ = std::jthread([this] { accept(); });
  }

  ~Server() {
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    {
      const std::lock_guard lock(mutex_);
      for (const int socket : sockets_)
        ::shutdown(socket, SHUT_RDWR);
    }
    connections_.clear();  // joins
    for (const int socket : sockets_)
      ::close(socket);
    ::close(listener_);
  }

  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const { return port_; }

  std::vector<std::string> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

  void refuse(int status) { refusal_ = status; }

 private:
  void accept() {
    while (true) {
      const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) return;
      keep(socket);
      connections_.emplace_back([this, socket] { serve(socket); });
    }
  }

  /// Sockets are closed at the end, so that no number is used twice.
  void keep(int socket) {
    const std::lock_guard lock(mutex_);
    sockets_.push_back(socket);
  }

  void serve(int client) {
    answer(client);
    ::shutdown(client, SHUT_RDWR);
  }

  void answer(int client) {
    const std::string head = readHead(client);
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(head);
    }
    if (refusal_ != 0) {
      const std::string refusal =
          "HTTP/1.1 " + std::to_string(refusal_) + " No\r\nContent-Length: 0\r\n\r\n";
      sendAll(client, refusal.data(), refusal.size());
      return;
    }
    // "CONNECT 127.0.0.1:40123 HTTP/1.1": whatever the host is, the test's server is here.
    const auto colon = head.find(':');
    if (!head.starts_with("CONNECT ") || colon == std::string::npos) return;
    const sockaddr_in address = loopback(std::stoi(head.substr(colon + 1)));
    const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    keep(server);
    if (::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
      return;
    constexpr std::string_view kOpen = "HTTP/1.1 200 Connection established\r\n\r\n";
    if (sendAll(client, kOpen.data(), kOpen.size())) tunnel(client, server);
    ::shutdown(server, SHUT_RDWR);
  }

  const int listener_;
  int port_ = 0;
  std::atomic<int> refusal_ = 0;
  std::vector<std::jthread> connections_;  // of the acceptor's thread, and of the end
  mutable std::mutex mutex_;               // guards the following
  std::vector<std::string> requests_;
  std::vector<int> sockets_;
  std::jthread acceptor_;
};

ConnectProxy::ConnectProxy() : server_(std::make_unique<Server>()) {}
ConnectProxy::~ConnectProxy() = default;

int ConnectProxy::port() const {
  return server_->port();
}

std::vector<std::string> ConnectProxy::requests() const {
  return server_->requests();
}

void ConnectProxy::refuse(int status) {
  server_->refuse(status);
}

}  // namespace sumac::fake
