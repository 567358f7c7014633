#include <boost/test/unit_test.hpp>

#include "exchange/link/lane_end.h"
#include "tests/unit/exchange/link/lane_pair.h"

namespace sumac::link::lane_credit_test {
namespace {

using lane_pair::Fixture;
using std::chrono::seconds;

constexpr std::size_t kMebibyte = 1024UL * 1024;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(lane_credit, Fixture)

BOOST_AUTO_TEST_CASE(never_more_than_the_credit_is_under_way) {
  listener.keeps_credit = true;
  int sent = 0;
  for (; dialler.end.hasRoom(kMebibyte); ++sent)
    dialler.send(1, kMebibyte);
  run();
  pass(seconds(2));
  BOOST_TEST(sent == 8);
  BOOST_TEST(dialler.end.unacknowledged() == 0U);  // arrived, but not taken over
  BOOST_TEST(!dialler.end.hasRoom(1));
  BOOST_TEST(!dialler.end.takeRoomFreed());

  listener.end.takenOver(kMebibyte);  // 1 MiB: told at once
  run();

  BOOST_TEST(dialler.end.takeRoomFreed());
  BOOST_TEST(dialler.end.hasRoom(kMebibyte));
  BOOST_TEST(!dialler.end.hasRoom(kMebibyte + 1));
}

BOOST_AUTO_TEST_CASE(small_messages_cost_a_unit_each) {
  listener.keeps_credit = true;
  int sent = 0;
  for (; dialler.end.hasRoom(4); ++sent)
    dialler.send(1, 4);

  BOOST_TEST(sent == 1024);
}

BOOST_AUTO_TEST_CASE(is_as_large_as_the_owner_says) {
  lane_pair::Party small(LaneEnd::Side::kDials, /*credit=*/3);
  int sent = 0;
  for (; small.end.hasRoom(LaneEnd::kUnit); ++sent)
    small.send(1, LaneEnd::kUnit);

  BOOST_TEST(sent == 3);
  BOOST_TEST(!small.end.hasRoom(1));
}

BOOST_AUTO_TEST_CASE(credit_outlives_connections) {
  listener.keeps_credit = true;
  for (int i = 0; i < 8; ++i)
    dialler.send(1, kMebibyte);
  run();
  cut();
  connect();
  BOOST_TEST(!dialler.end.hasRoom(1));
  cut();
  listener.end.takenOver(kMebibyte);
  connect();

  BOOST_TEST(dialler.end.hasRoom(kMebibyte));
  BOOST_TEST(listener.taken.size() == 8U);
}

BOOST_AUTO_TEST_CASE(more_than_the_credit_is_not_taken) {
  listener.keeps_credit = true;
  for (int i = 0; i < 9; ++i)
    dialler.send(1, kMebibyte);
  run();

  BOOST_TEST(listener.taken.size() == 8U);
  BOOST_TEST(dialler.reopens.size() == 1U);
}

// Otherwise a peer that acknowledges nothing could make us keep whatever we send.
BOOST_AUTO_TEST_CASE(credit_comes_back_only_for_what_has_arrived) {
  dialler.send(1, kMebibyte);
  lane_pair::Header header;
  header.type = lane_pair::MessageType::kAcknowledge;
  header.connection = dialler.end.connection();
  header.credit = 1;
  dialler.end.onMessage(header, 0);

  BOOST_TEST(dialler.reopens.size() == 1U);
  BOOST_TEST(dialler.end.hasRoom(7 * kMebibyte));
  BOOST_TEST(!dialler.end.hasRoom(7 * kMebibyte + 1));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::link::lane_credit_test
