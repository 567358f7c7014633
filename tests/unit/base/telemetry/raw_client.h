#pragma once

#include <array>
#include <cerrno>
#include <stdexcept>
#include <string>
#include <string_view>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/telemetry/address.h"

namespace sumac {

/// A socket of 127.0.0.1, closed at the end. Where it reads nothing for 50 s, the test fails.
class RawSocket {
 public:
  explicit RawSocket(int fd) : fd_(fd) {
    if (fd_ < 0) throw std::runtime_error("no socket");
    const timeval most{50, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most));
  }
  ~RawSocket() {
    if (fd_ >= 0) ::close(fd_);
  }
  RawSocket(RawSocket&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  RawSocket(const RawSocket&) = delete;
  RawSocket& operator=(const RawSocket&) = delete;

  static RawSocket open() { return RawSocket(::socket(AF_INET, SOCK_STREAM, 0)); }

  static RawSocket connected(const std::string& address) {
    RawSocket made = open();
    const sockaddr_in to = socketAddress(parseAddress(address)->port);
    if (::connect(made.fd_, reinterpret_cast<const sockaddr*>(&to), sizeof(to)) != 0) {
      throw std::runtime_error("cannot connect to " + address);
    }
    return made;
  }

  /// Listens at a port that the system picks, and says which.
  std::uint16_t listen() const {
    sockaddr_in at = socketAddress(0);
    socklen_t size = sizeof(at);
    if (::bind(fd_, reinterpret_cast<const sockaddr*>(&at), size) != 0 || ::listen(fd_, 8) != 0 ||
        ::getsockname(fd_, reinterpret_cast<sockaddr*>(&at), &size) != 0) {
      throw std::runtime_error("cannot listen");
    }
    return ntohs(at.sin_port);
  }
  RawSocket accepted() const { return RawSocket(::accept(fd_, nullptr, nullptr)); }

  /// Returns whether the other side took it.
  bool write(std::string_view text) const {
    return ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
  }
  /// All that comes until the other side closes; cut at `most` bytes. Throws where the other side
  /// neither writes nor closes.
  std::string readAll(std::size_t most = std::size_t{1} << 20) const {
    std::string text;
    std::array<char, 4096> piece{};
    while (text.size() < most) {
      const ssize_t got = ::recv(fd_, piece.data(), piece.size(), 0);
      if (got < 0 && errno == EAGAIN) throw std::runtime_error("the other side does not close");
      if (got <= 0) return text;
      text.append(piece.data(), static_cast<std::size_t>(got));
    }
    return text;
  }
  /// Reads up to the end of a text.
  std::string readUntil(std::string_view end) const {
    std::string text;
    char one = 0;
    while (!text.ends_with(end) && ::recv(fd_, &one, 1, 0) == 1)
      text += one;
    return text;
  }

 private:
  static sockaddr_in socketAddress(std::uint16_t port) {
    sockaddr_in made{};
    made.sin_family = AF_INET;
    made.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    made.sin_port = htons(port);
    return made;
  }

  int fd_;
};

}  // namespace sumac
