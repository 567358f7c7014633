#include "exchange/link/routing_id.h"

#include <boost/test/unit_test.hpp>

namespace sumac::link::routing_id_test {
namespace {

RoutingId anId() {
  return {0x0102030405060708, Member{{Role::kWorker, 9}, 0x1112131415161718}, Lane::kData};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(routing_id)

BOOST_AUTO_TEST_CASE(comes_back_as_it_was) {
  BOOST_TEST((decodeRoutingId(encode(anId())) == anId()));
}

BOOST_AUTO_TEST_CASE(never_begins_with_the_byte_that_zeromq_keeps_for_itself) {
  BOOST_TEST(encode(RoutingId{}).front() != '\0');
}

BOOST_AUTO_TEST_CASE(is_refused_at_every_other_length) {
  const std::string bytes = encode(anId()) + "more";
  for (std::size_t length = 0; length <= bytes.size(); ++length) {
    BOOST_TEST(decodeRoutingId(bytes.substr(0, length)).has_value() == (length == 24));
  }
}

BOOST_AUTO_TEST_CASE(is_refused_with_a_lane_role_or_mark_that_does_not_exist) {
  for (const std::size_t offset : {0UL, 1UL, 2UL, 3UL, 7UL}) {
    std::string bytes = encode(anId());
    bytes[offset] = '\xff';
    BOOST_TEST(!decodeRoutingId(bytes).has_value(), offset);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::link::routing_id_test
