#include "exchange/coordinator/flapping.h"

#include <boost/test/unit_test.hpp>

namespace sumac::flapping_test {
namespace {

using std::chrono::seconds;

constexpr Slot kSlot{Role::kWorker, 1};

struct Fixture {
  Flapping flapping{seconds(60)};
  TimePoint start{std::chrono::hours(1)};

  void lostAt(std::initializer_list<int> times) {
    for (const int time : times)
      flapping.lost(kSlot, start + seconds(time));
  }
  bool mustWaitAt(int time, Slot slot = kSlot) const {
    return flapping.mustWait(slot, start + seconds(time));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(flapping_, Fixture)

BOOST_AUTO_TEST_CASE(a_slot_that_was_lost_three_times_in_60_s_waits_60_s_from_the_last) {
  lostAt({0, 30});
  BOOST_TEST(!mustWaitAt(30));
  lostAt({60});
  BOOST_TEST(mustWaitAt(60));
  BOOST_TEST(mustWaitAt(119));
  BOOST_TEST(!mustWaitAt(120));
  BOOST_TEST(!mustWaitAt(60, {Role::kServer, 1}));
}

BOOST_AUTO_TEST_CASE(only_the_newest_three_losses_count) {
  lostAt({0, 30, 61});
  BOOST_TEST(!mustWaitAt(61));
  lostAt({90});
  BOOST_TEST(mustWaitAt(91));
  lostAt({200});
  BOOST_TEST(!mustWaitAt(200));
}

BOOST_AUTO_TEST_CASE(without_a_wait_no_slot_waits) {
  flapping = Flapping(Duration::zero());
  lostAt({0, 0, 0});
  BOOST_TEST(!mustWaitAt(0));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::flapping_test
