#include "cli/run/links.h"

#include <algorithm>
#include <cstdlib>
#include <net/if.h>
#include <sched.h>
#include <set>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "base/core/clock.h"

namespace sumac::cli::links_test {
namespace {

constexpr std::int64_t kRate = 200'000'000;
constexpr std::size_t kBurst = 256UL * 1024;
constexpr int kPatienceMs = 20'000;

/// Where rights are missing there is nothing to test, but for a machine that promises to have them.
bool canLimit() {
  const auto possible = checkLinks(kRate);
  if (possible) return true;
  BOOST_REQUIRE_MESSAGE(std::getenv("CI") == nullptr, possible.error().message);
  BOOST_TEST_MESSAGE("skipped: " << possible.error().message);
  return false;
}

Descriptor ourNamespace() {
  return Descriptor(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
}

/// A socket in a member's namespace.
Descriptor socketOf(const Links& links, int member) {
  const Descriptor ours = ourNamespace();
  BOOST_REQUIRE(::setns(links.namespaceOf(member), CLONE_NEWNET) == 0);
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  BOOST_REQUIRE(::setns(ours.get(), CLONE_NEWNET) == 0);
  BOOST_REQUIRE(bool(socket));
  return socket;
}

/// A connection from member 0 to member 1.
struct Connection {
  explicit Connection(const Links& links) : sends(socketOf(links, 0)) {
    const Descriptor listens = socketOf(links, 1);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    ::inet_pton(AF_INET, Links::addressOf(1).c_str(), &address.sin_addr);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    BOOST_REQUIRE(::bind(listens.get(), any, size) == 0);
    BOOST_REQUIRE(::listen(listens.get(), 1) == 0);
    BOOST_REQUIRE(::getsockname(listens.get(), any, &size) == 0);
    BOOST_REQUIRE(::connect(sends.get(), any, size) == 0);
    receives = Descriptor(::accept4(listens.get(), nullptr, nullptr, SOCK_CLOEXEC));
    BOOST_REQUIRE(bool(receives));
  }

  /// Seconds until so many bytes have come.
  double carry(std::size_t bytes) const {
    const std::vector<char> chunk(64UL * 1024);
    std::vector<char> taken(1UL << 20);
    std::size_t sent = 0;
    std::size_t received = 0;
    const TimePoint begun = SystemClock().now();
    while (received < bytes) {
      pollfd watched[] = {{receives.get(), POLLIN, 0}, {sends.get(), POLLOUT, 0}};
      if (sent == bytes) watched[1].fd = -1;
      BOOST_REQUIRE(::poll(watched, 2, kPatienceMs) > 0);
      if (watched[1].revents != 0) {
        const ssize_t count =
            ::send(sends.get(), chunk.data(), std::min(chunk.size(), bytes - sent), MSG_DONTWAIT);
        sent += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
      }
      if (watched[0].revents != 0) {
        const ssize_t count = ::recv(receives.get(), taken.data(), taken.size(), MSG_DONTWAIT);
        BOOST_REQUIRE(count != 0);
        received += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
      }
    }
    return secondsBetween(begun, SystemClock().now());
  }

  Descriptor sends;
  Descriptor receives;
};

std::set<std::string> devices() {
  std::set<std::string> names;
  auto* const all = ::if_nameindex();
  for (auto* device = all; device != nullptr && device->if_name != nullptr; ++device)
    names.insert(device->if_name);
  ::if_freenameindex(all);
  return names;
}

ino_t inodeOf(const Descriptor& network) {
  struct stat status {};
  BOOST_REQUIRE(::fstat(network.get(), &status) == 0);
  return status.st_ino;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(links, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(carry_no_more_than_their_rate) {
  if (!canLimit()) return;
  const auto made = Links::make(2, kRate);
  BOOST_REQUIRE(made.has_value());
  const Connection connection(*made);
  constexpr std::size_t kBytes = 8'000'000;  // 0.32 s

  const double seconds = connection.carry(kBytes);

  const double bits = 8.0 * static_cast<double>(kBytes - kBurst) / seconds;
  BOOST_TEST(bits <= 1.1 * kRate);
}

BOOST_AUTO_TEST_CASE(leave_us_and_this_machine_as_we_were) {
  if (!canLimit()) return;
  const ino_t ours = inodeOf(ourNamespace());
  const auto before = devices();
  const auto made = Links::make(3, kRate);
  BOOST_REQUIRE(made.has_value());
  BOOST_TEST(inodeOf(ourNamespace()) == ours);
  BOOST_TEST((devices() == before));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::links_test
