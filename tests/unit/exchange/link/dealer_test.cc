#include "exchange/link/dealer.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <zmq.hpp>

#include "base/process/resource_limits.h"
#include "exchange/link/context.h"

namespace sumac::link::dealer_test {
namespace {

/// A connection to where nobody listens.
struct Fixture {
  zmq::context_t context;

  Dealer to(const std::string& endpoint) {
    return {context, {Peer{{Role::kServer, 0}, Lane::kControl}, endpoint, RoutingId{}}};
  }
};

bool isV6(Dealer& dealer) {
  return dealer.socket().get(zmq::sockopt::ipv6) != 0;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(dealer, Fixture, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(uses_the_kind_of_address_that_it_was_given) {
  Dealer v4 = to("tcp://127.0.0.1:1");
  Dealer v6 = to("tcp://[::1]:1");
  v4.reopen();
  v6.reopen();

  BOOST_TEST(!isV6(v4));
  BOOST_TEST(isV6(v6));
}

BOOST_AUTO_TEST_CASE(tries_both_kinds_of_a_name_until_it_was_up) {
  Dealer named = to("tcp://nowhere.invalid:1");
  BOOST_TEST(isV6(named));
  named.reopen();
  BOOST_TEST(!isV6(named));
  named.reopen();
  BOOST_TEST(isV6(named));
  named.was_up = true;
  named.reopen();

  BOOST_TEST(isV6(named));
}

// Each takes three of ZeroMQ's sockets, of which a context has 1,023 by default.
BOOST_AUTO_TEST_CASE(connects_to_hundreds_of_peers_at_once) {
  constexpr int kPeers = 400;
  allowMostOpenFiles();
  const Context many;
  zmq::socket_t listener(many.native(), zmq::socket_type::router);
  listener.bind("tcp://127.0.0.1:*");
  const std::string endpoint = listener.get(zmq::sockopt::last_endpoint);
  std::vector<std::unique_ptr<Dealer>> dealers;
  for (int index = 0; index < kPeers; ++index) {
    const RoutingId self{1, {{Role::kWorker, index}, 1}, Lane::kData};
    dealers.push_back(std::make_unique<Dealer>(
        many.native(), DealerOptions{Peer{{Role::kWorker, kPeers}, Lane::kData}, endpoint, self}));
  }

  for (const auto& dealer : dealers) {
    while (dealer->nextEvent() != ZMQ_EVENT_HANDSHAKE_SUCCEEDED)
      std::this_thread::yield();
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::link::dealer_test
