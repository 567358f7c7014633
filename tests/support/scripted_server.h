#pragma once

#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/core/check.h"
#include "base/core/descriptor.h"

namespace sumac {

/// An HTTP server on 127.0.0.1 that answers connection i with bytes i of a script and then closes
/// it; connections after the script's end are refused. One thread, which ends with the script or
/// with this object.
class ScriptedServer {
 public:
  explicit ScriptedServer(std::vector<std::string> script)
      : script_(std::move(script)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const name = reinterpret_cast<sockaddr*>(&address);
    SUMAC_CHECK(::bind(listener_.get(), name, size) == 0);
    SUMAC_CHECK(::listen(listener_.get(), SOMAXCONN) == 0);
    SUMAC_CHECK(::getsockname(listener_.get(), name, &size) == 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~ScriptedServer() { join(); }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  /// "http://127.0.0.1:4711"
  std::string address() const { return "http://127.0.0.1:" + std::to_string(port_); }

  /// What clients asked, without what follows a request's head. Ends the server.
  const std::vector<std::string>& requests() {
    join();
    return requests_;
  }

 private:
  void join() {
    ::shutdown(listener_.get(), SHUT_RDWR);  // ends accept()
    if (thread_.joinable()) thread_.join();
  }

  void serve() {
    for (const auto& answer : script_) {
      const Descriptor client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!client) return;
      requests_.push_back(head(client.get()));
      send(client.get(), answer);
      ::shutdown(client.get(), SHUT_WR);
    }
    ::shutdown(listener_.get(), SHUT_RDWR);  // later connections are refused
  }

  static std::string head(int client) {
    std::string text;
    char piece[1024];
    while (text.find("\r\n\r\n") == std::string::npos) {
      const ssize_t n = ::recv(client, piece, sizeof piece, 0);
      if (n <= 0) break;
      text.append(piece, static_cast<std::size_t>(n));
    }
    return text;
  }

  static void send(int client, std::string_view text) {
    while (!text.empty()) {
      const ssize_t n = ::send(client, text.data(), text.size(), MSG_NOSIGNAL);
      if (n <= 0) return;
      text.remove_prefix(static_cast<std::size_t>(n));
    }
  }

  const std::vector<std::string> script_;
  Descriptor listener_;
  int port_ = 0;
  std::vector<std::string> requests_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace sumac
