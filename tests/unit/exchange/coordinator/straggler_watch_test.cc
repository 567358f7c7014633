#include "exchange/coordinator/straggler_watch.h"

#include <vector>

#include <boost/test/unit_test.hpp>

namespace sumac::straggler_watch_test {
namespace {

struct Fixture {
  StragglerWatch watch{3};
  TimePoint now{std::chrono::hours(1)};
  std::vector<double> told{0, 0, 0};  // milliseconds of a part so far
  std::uint32_t steps = 0;

  /// All do so many steps within `seconds`, and a part takes each of them so many milliseconds.
  std::optional<Straggler> pass(double seconds, std::uint32_t done,
                                const std::vector<double>& parts) {
    steps += done;
    for (std::size_t i = 0; i < told.size(); ++i) {
      told[i] += done * parts[i];
      watch.heard(static_cast<int>(i), {steps, static_cast<std::uint32_t>(told[i])});
    }
    now += std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
    return watch.find(now);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(straggler_watch, Fixture)

BOOST_AUTO_TEST_CASE(finds_who_takes_a_fifth_longer_than_the_others) {
  BOOST_TEST(!pass(0, 0, {0, 0, 0}));
  BOOST_TEST(!pass(2, 100, {10, 10, 11.9}));
  BOOST_TEST((pass(2, 100, {10, 30, 10}) == Straggler{1, 3}));
  BOOST_TEST((pass(2, 100, {15, 10, 12}) == Straggler{0, 1.25}));
  BOOST_TEST(!pass(2, 100, {10, 10, 10}));
}

BOOST_AUTO_TEST_CASE(of_less_than_two_seconds_or_three_steps_nothing_is_said) {
  pass(0, 0, {0, 0, 0});
  BOOST_TEST(!pass(1.9, 100, {10, 30, 10}));
  BOOST_TEST(pass(0.1, 0, {0, 0, 0}).has_value());
  BOOST_TEST(pass(60, 2, {10, 10, 10}).has_value());  // as before
  BOOST_TEST(!pass(1, 1, {10, 10, 10}));
}

BOOST_AUTO_TEST_CASE(all_workers_of_the_roster_are_compared) {
  StragglerWatch pair(2);
  pair.heard(0, {0, 0});
  BOOST_TEST(!pair.find(now));
  pair.heard(0, {100, 1000});
  BOOST_TEST(!pair.find(now += std::chrono::seconds(2)));
  pair.heard(1, {0, 0});
  BOOST_TEST(!pair.find(now));
  pair.heard(0, {200, 2000});
  pair.heard(1, {100, 4000});
  BOOST_TEST((pair.find(now += std::chrono::seconds(2)) == Straggler{1, 4}));
}

BOOST_AUTO_TEST_CASE(numbers_begin_anew_after_the_largest) {
  StragglerWatch pair(2);
  pair.heard(0, {0xffffffff, 0xfffffff0});
  pair.heard(1, {0xffffffff, 0xfffffff0});
  pair.find(now);
  pair.heard(0, {99, 984});
  pair.heard(1, {99, 1984});
  BOOST_TEST((pair.find(now += std::chrono::seconds(2)) == Straggler{1, 2}));
}

BOOST_AUTO_TEST_CASE(one_worker_and_parts_that_take_no_time_have_no_straggler) {
  StragglerWatch alone(1);
  alone.heard(0, {0, 0});
  BOOST_TEST(!alone.find(now));
  alone.heard(0, {100, 1000});
  BOOST_TEST(!alone.find(now += std::chrono::seconds(2)));
  pass(0, 0, {0, 0, 0});
  BOOST_TEST(!pass(2, 100, {0, 0, 5}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::straggler_watch_test
