#include "experiment/measure/schedule.h"

#include <algorithm>

#include <boost/test/unit_test.hpp>

namespace sumac::experiment::schedule_test {
namespace {

constexpr std::uint64_t kSeed = 7;

/// Runs until nothing is left, each with the speed that `speed` says.
template <typename Speed>
std::vector<RunId> runAll(Schedule& schedule, const Speed& speed) {
  std::vector<RunId> runs;
  while (const auto next = schedule.next()) {
    runs.push_back(*next);
    schedule.finished(*next, speed(*next));
  }
  return runs;
}

double steady(RunId run) {
  return 100 + run.repetition;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(schedule)

BOOST_AUTO_TEST_CASE(the_order_is_a_shuffle_that_the_seed_decides) {
  const auto order = shuffledCells(50, kSeed, 1);
  BOOST_TEST(order == shuffledCells(50, kSeed, 1), boost::test_tools::per_element());
  BOOST_TEST((order != shuffledCells(50, kSeed, 2)));
  BOOST_TEST((order != shuffledCells(50, kSeed + 1, 1)));

  auto sorted = order;
  std::ranges::sort(sorted);
  BOOST_TEST((sorted != order));
  for (int cell = 1; cell <= 50; ++cell)
    BOOST_TEST(sorted[static_cast<std::size_t>(cell - 1)] == cell);
}

BOOST_AUTO_TEST_CASE(round_by_round_each_cell_runs_once) {
  Schedule schedule(4, {3, 3, 0}, kSeed);
  BOOST_TEST(schedule.left() == 12);

  const auto runs = runAll(schedule, steady);

  BOOST_TEST(runs.size() == 12);
  for (std::size_t i = 0; i < runs.size(); ++i)
    BOOST_TEST(runs[i].repetition == static_cast<int>(i / 4) + 1);
  BOOST_TEST(schedule.left() == 0);
}

BOOST_AUTO_TEST_CASE(a_cell_runs_until_its_interval_is_narrow) {
  Schedule schedule(2, {2, 6, 0.05}, kSeed);
  const auto noisy = [](RunId run) {
    return run.cell == 1 ? 100.0 : 100.0 + 50.0 * (run.repetition % 2);
  };

  const auto runs = runAll(schedule, noisy);

  const auto of = [&runs](int cell) {
    return std::ranges::count_if(runs, [cell](RunId run) { return run.cell == cell; });
  };
  BOOST_TEST(of(1) == 2);
  BOOST_TEST(of(2) == 6);
}

BOOST_AUTO_TEST_CASE(a_failed_cell_does_not_run_again_and_does_not_end_the_others) {
  Schedule schedule(2, {2, 2, 0}, kSeed);
  const RunId first = schedule.next().value();
  schedule.failed(first.cell);

  const auto runs = runAll(schedule, steady);

  BOOST_TEST(runs.size() == 2);
  for (const RunId run : runs)
    BOOST_TEST(run.cell == 3 - first.cell);
}

BOOST_AUTO_TEST_CASE(one_that_was_stopped_goes_on_in_the_same_order) {
  Schedule whole(5, {3, 3, 0}, kSeed);
  const auto all = runAll(whole, steady);
  for (std::size_t stop = 0; stop <= all.size(); ++stop) {
    Schedule again(5, {3, 3, 0}, kSeed);
    // A folder lists them in an order of its own.
    for (std::size_t i = stop; i > 0; --i)
      again.finished(all[i - 1], steady(all[i - 1]));
    const auto rest = runAll(again, steady);
    BOOST_TEST((std::vector(all.begin() + static_cast<std::ptrdiff_t>(stop), all.end()) == rest));
  }
}

BOOST_AUTO_TEST_CASE(what_is_left_counts_a_cell_that_is_not_known_well_enough_once) {
  Schedule schedule(1, {2, 6, 0.05}, kSeed);
  schedule.finished({1, 1}, 100);
  BOOST_TEST(schedule.left() == 1);
  schedule.finished({1, 2}, 200);
  BOOST_TEST(schedule.left() == 1);
}

BOOST_AUTO_TEST_CASE(a_run_under_way_is_not_begun_again) {
  Schedule schedule(2, {1, 1, 0}, 1);
  const auto first = schedule.next();
  schedule.began(*first);
  const auto second = schedule.next();
  BOOST_REQUIRE(second.has_value());
  BOOST_TEST(second->cell != first->cell);
  schedule.began(*second);
  BOOST_TEST(!schedule.next().has_value());
  BOOST_TEST(schedule.left() == 2);
  schedule.finished(*first, 1);
  schedule.failed(second->cell);
  BOOST_TEST(!schedule.next().has_value());
  BOOST_TEST(schedule.left() == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::experiment::schedule_test
