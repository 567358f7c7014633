#include "exchange/member/range_trace.h"

#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/support/manual_clock.h"

namespace sumac::range_trace_test {
namespace {

using std::chrono_literals::operator""us;
using trace::Activity;

struct Fixture {
  ExchangePlan plan = makeExchangePlan({20'000, 20'000}, 2, {}, {.pieces = 2});
  ManualClock clock;
  trace::Recorder recorder{{2, 3}, clock};
  RangeTrace ranges{plan};

  Fixture() { ranges.recordTo(&recorder); }

  RangeRun run(std::uint32_t first, std::uint32_t count) const {
    return {first, count, plan.ranges[first].first, plan.ranges[first].count};
  }
  void ready(Step step) {
    for (const Range& range : plan.ranges)
      ranges.ready(step, range.id);
  }
  std::vector<trace::Span> spans() const { return recorder.content().spans; }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(range_trace, Fixture)

BOOST_AUTO_TEST_CASE(a_push_lasts_until_it_is_sent_and_a_wait_from_there_until_the_sum) {
  ready(2);
  clock.advance(3us);
  ranges.sent(2, run(0, 2));
  clock.advance(7us);
  ranges.arrived(2, 1);

  BOOST_TEST_REQUIRE(spans().size() == 2U);
  const auto push = spans()[0];
  const auto wait = spans()[1];
  BOOST_TEST((push.activity == Activity::kPush && wait.activity == Activity::kWait));
  BOOST_TEST(push.number == 1);
  BOOST_TEST(push.bytes == 4 * static_cast<std::uint64_t>(plan.ranges[1].count));
  BOOST_TEST((push.end - push.begin == 3us));
  BOOST_TEST((push.end == wait.begin));
  BOOST_TEST((wait.end - wait.begin == 7us));
}

BOOST_AUTO_TEST_CASE(every_range_is_ready_by_itself) {
  ranges.ready(2, 1);
  clock.advance(3us);
  ranges.ready(2, 0);
  clock.advance(3us);
  ranges.sent(2, run(0, 2));
  ranges.arrived(2, 0);
  ranges.arrived(2, 1);

  BOOST_TEST_REQUIRE(spans().size() == 4U);
  BOOST_TEST((spans()[0].end - spans()[0].begin == 3us));
  BOOST_TEST((spans()[2].end - spans()[2].begin == 6us));
}

BOOST_AUTO_TEST_CASE(what_is_sent_again_of_the_step_before_does_not_count) {
  ready(2);
  ranges.sent(2, run(0, 3));
  ready(3);
  clock.advance(1us);
  ranges.sent(3, run(0, 3));
  clock.advance(4us);
  ranges.sent(2, run(0, 3));
  ranges.arrived(2, 0);
  ranges.arrived(3, 0);

  BOOST_TEST_REQUIRE(spans().size() == 2U);
  BOOST_TEST((spans()[0].end - spans()[0].begin == 1us));
}

BOOST_AUTO_TEST_CASE(other_steps_are_not_recorded) {
  for (const Step step : {1, 4}) {
    ready(step);
    ranges.sent(step, run(0, 1));
    ranges.arrived(step, 0);
  }
  ranges.recordTo(nullptr);
  ready(2);
  ranges.sent(2, run(0, 1));
  ranges.arrived(2, 0);

  BOOST_TEST(spans().empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::range_trace_test
