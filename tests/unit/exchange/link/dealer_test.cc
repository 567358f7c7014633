#include "exchange/link/dealer.h"

#include <boost/test/unit_test.hpp>
#include <zmq.hpp>

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

BOOST_FIXTURE_TEST_SUITE(dealer, Fixture)

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

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::link::dealer_test
