#pragma once

#include <cerrno>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

namespace sumac {

/// A precondition of tests: this machine has the address ::1. Elsewhere they are skipped, which is
/// said.
inline boost::test_tools::assertion_result hasIpv6(boost::unit_test::test_unit_id /*test*/) {
  sockaddr_in6 at{};
  at.sin6_family = AF_INET6;
  at.sin6_addr = in6addr_loopback;
  const int fd = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool has_it =
      fd >= 0 && ::bind(fd, reinterpret_cast<const sockaddr*>(&at), sizeof(at)) == 0;
  const bool is_missing = !has_it && (errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL);
  if (fd >= 0) ::close(fd);
  boost::test_tools::assertion_result result(!is_missing);
  if (is_missing) result.message() << "this machine has no IPv6: nobody can listen at ::1";
  return result;
}

}  // namespace sumac
