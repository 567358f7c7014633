#include "worker/train/profiled_times.h"

#include <boost/test/unit_test.hpp>

namespace sumac::worker::profiled_times_test {
namespace {

using Kind = StepTimes::Kind;

constexpr auto kTolerance = 1e-9;

/// Two layers of 10 and 30 parameters: the first takes a quarter of the forward pass and 0.3 of the
/// backward one.
BatchProfile aProfile(int parts) {
  BatchProfile batch;
  batch.samples = 4 * parts;
  batch.parts = parts;
  batch.forward = {.median = 0.2 * parts};
  batch.backward = {.median = 0.5 * parts};
  batch.update = {.median = 0.01};
  batch.layers = {{.name = "first",
                   .tensors = {{.name = "w", .values = 10, .gradient_seconds = 0.15}},
                   .forward_seconds = 0.05},
                  {.name = "second",
                   .tensors = {{.name = "w", .values = 30, .gradient_seconds = 0.35}},
                   .forward_seconds = 0.15}};
  return batch;
}

void requireTimes(const StepTimes& times, const std::vector<double>& expected) {
  BOOST_REQUIRE(times.events.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    BOOST_TEST(times.events[i].seconds == expected[i], boost::test_tools::tolerance(kTolerance));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(profiled_times)

BOOST_AUTO_TEST_CASE(events_are_where_the_layers_are) {
  const StepTimes step{{{Kind::kAwaits, 0, 0, 10, 7},
                        {Kind::kAwaits, 0, 10, 30, 7},
                        {Kind::kFinal, 0, 25, 15, 7},  // half of the second layer
                        {Kind::kFinal, 0, 10, 15, 7},
                        {Kind::kFinal, 0, 0, 10, 7},
                        {Kind::kFinal, 0, 40, 1, 7}},  // the loss
                       100};
  const StepTimes times = profiledTimes(step, aProfile(1), {.parts = {1}, .parameters = 40});
  requireTimes(times, {0, 0.05, 0.2 + 0.175, 0.2 + 0.35, 0.7, 0.7});
  BOOST_TEST(times.seconds == 0.7, boost::test_tools::tolerance(kTolerance));
  BOOST_TEST(times.update_seconds == 0.01);
}

BOOST_AUTO_TEST_CASE(contributions_become_final_in_their_last_part) {
  const StepTimes step{{{Kind::kAwaits, 0, 0, 40, 7},
                        {Kind::kFinal, 0, 10, 30, 7},
                        {Kind::kFinal, 0, 0, 10, 7},
                        {Kind::kFinal, 1, 10, 30, 7},
                        {Kind::kFinal, 1, 0, 10, 7}},
                       100};
  const StepTimes times = profiledTimes(step, aProfile(3), {.parts = {2, 1}, .parameters = 40});
  requireTimes(times, {0, 1.4 - 0.15, 1.4, 2.1 - 0.15, 2.1});
  BOOST_TEST(times.seconds == 2.1, boost::test_tools::tolerance(kTolerance));
}

BOOST_AUTO_TEST_CASE(without_layers_nothing_overlaps) {
  BatchProfile batch = aProfile(1);
  batch.layers.clear();
  const StepTimes step{{{Kind::kAwaits, 0, 0, 10, 7},
                        {Kind::kAwaits, 0, 10, 30, 7},
                        {Kind::kFinal, 0, 10, 30, 7},
                        {Kind::kFinal, 0, 0, 10, 7}},
                       100};
  requireTimes(profiledTimes(step, batch, {.parts = {1}, .parameters = 40}), {0, 0, 0.7, 0.7});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::profiled_times_test
