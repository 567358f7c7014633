#include "exchange/sums/sum_trace.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/manual_clock.h"

namespace sumac::sum_trace_test {
namespace {

using std::chrono_literals::operator""us;

struct Fixture {
  ExchangePlan plan = makeExchangePlan({20'000, 20'000}, 2, {}, {.pieces = 2});
  ManualClock clock;
  trace::Recorder recorder{{2, 4}, clock};
  SumTrace trace;

  Fixture() {
    trace.recordTo(&recorder);
    trace.start(plan);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(sum_trace, Fixture)

BOOST_AUTO_TEST_CASE(a_sum_lasts_from_the_first_contribution_to_the_last) {
  trace.contributed(2, 1, false);
  clock.advance(5us);
  trace.contributed(3, 1, false);  // of a worker that is ahead
  trace.contributed(2, 1, false);
  clock.advance(6us);
  trace.contributed(2, 1, true);

  const auto spans = recorder.content().spans;
  BOOST_TEST_REQUIRE(spans.size() == 1U);
  BOOST_TEST(spans[0].step == 2);
  BOOST_TEST(spans[0].number == 1);
  BOOST_TEST(spans[0].bytes == 4 * static_cast<std::uint64_t>(plan.ranges[1].count));
  BOOST_TEST((spans[0].end - spans[0].begin == 11us));
}

BOOST_AUTO_TEST_CASE(one_contribution_is_a_sum_that_takes_no_time) {
  trace.contributed(2, 0, true);

  const auto spans = recorder.content().spans;
  BOOST_TEST_REQUIRE(spans.size() == 1U);
  BOOST_TEST((spans[0].begin == spans[0].end));
}

BOOST_AUTO_TEST_CASE(other_steps_are_not_recorded) {
  trace.contributed(1, 0, true);
  trace.contributed(5, 0, true);
  trace.recordTo(nullptr);
  trace.contributed(2, 0, true);

  BOOST_TEST(recorder.content().spans.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::sum_trace_test
