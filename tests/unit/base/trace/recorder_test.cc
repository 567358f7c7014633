#include "base/trace/recorder.h"

#include <limits>
#include <thread>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/support/manual_clock.h"

namespace sumac::trace::recorder_test {
namespace {

Span span(Step step) {
  Span span;
  span.activity = Activity::kPush;
  span.step = step;
  return span;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(recorder)

BOOST_AUTO_TEST_CASE(keeps_what_is_added_in_order) {
  const ManualClock clock;
  Recorder recorder({2, 3}, clock);

  recorder.add(span(2));
  recorder.add(span(3));

  const auto content = recorder.content();
  BOOST_TEST_REQUIRE(content.spans.size() == 2U);
  BOOST_TEST(content.spans[0].step == 2);
  BOOST_TEST(content.dropped == 0U);
  BOOST_TEST(!content.offset.has_value());
}

BOOST_AUTO_TEST_CASE(drops_and_counts_what_there_is_no_room_for) {
  const ManualClock clock;
  Recorder recorder({1, 9}, clock, /*capacity=*/2);

  for (Step step = 1; step <= 5; ++step)
    recorder.add(span(step));

  const auto content = recorder.content();
  BOOST_TEST(content.spans.size() == 2U);
  BOOST_TEST(content.dropped == 3U);
}

BOOST_AUTO_TEST_CASE(covers_its_steps_only) {
  const ManualClock clock;
  Recorder recorder({2, 3}, clock);

  BOOST_TEST(!recorder.covers(1));
  BOOST_TEST(recorder.covers(2));
  BOOST_TEST(recorder.covers(3));
  BOOST_TEST(!recorder.covers(4));
}

BOOST_AUTO_TEST_CASE(the_second_step_after_the_last_one_ends_the_recording,
                     *boost::unit_test::timeout(60)) {
  const ManualClock clock;
  Recorder recorder({2, 3}, clock);
  std::jthread waiting([&] { recorder.awaitFinish(); });

  BOOST_TEST(!recorder.covers(5));
}

BOOST_AUTO_TEST_CASE(the_last_step_there_can_be_may_be_traced) {
  const ManualClock clock;
  constexpr Step kLast = std::numeric_limits<Step>::max();
  Recorder recorder({kLast, kLast}, clock);

  BOOST_TEST(recorder.covers(kLast));
}

BOOST_AUTO_TEST_CASE(threads_may_record_while_another_reads) {
  constexpr int kThreads = 4;
  constexpr int kSpans = 2'000;
  const ManualClock clock;
  Recorder recorder({1, 1}, clock, kThreads * kSpans / 2);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&recorder] {
        for (int n = 0; n < kSpans; ++n) {
          if (recorder.covers(1)) recorder.add(span(1));
          recorder.onEcho(recorder.now(), recorder.now());
        }
      });
    }
    while (recorder.content().spans.size() < kSpans / 2) {
    }
    recorder.finish();
  }

  const auto content = recorder.content();
  BOOST_TEST(content.spans.size() + content.dropped == std::size_t{kThreads} * kSpans);
  BOOST_TEST(recorder.echoes() == std::size_t{kThreads} * kSpans);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::trace::recorder_test
