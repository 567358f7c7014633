#include "engine/sampler/sampler.h"

#include <algorithm>
#include <set>

#include <boost/test/unit_test.hpp>

#include "base/core/check.h"

namespace sumac::worker::sampler_test {
namespace {

std::vector<std::int64_t> part(Sampler& sampler, Step step, int number) {
  const auto indices = sampler.indices(step, number);
  return {indices.begin(), indices.end()};
}

/// All parts of a step, one after another.
std::vector<std::int64_t> batch(Sampler& sampler, Step step, int parts) {
  std::vector<std::int64_t> all;
  for (int number = 0; number < parts; ++number) {
    const auto indices = sampler.indices(step, number);
    all.insert(all.end(), indices.begin(), indices.end());
  }
  return all;
}

/// All batches of an epoch, one after another.
std::vector<std::int64_t> epoch(Sampler& sampler, std::int64_t number) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 1; i <= sampler.stepsPerEpoch(); ++i) {
    const auto indices = batch(sampler, number * sampler.stepsPerEpoch() + i, 1);
    all.insert(all.end(), indices.begin(), indices.end());
  }
  return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sampler)

BOOST_AUTO_TEST_CASE(shows_each_sample_once_in_an_epoch_but_for_the_remainder) {
  Sampler sampler(/*seed=*/1, /*samples=*/107, /*batch_size=*/10, /*parts=*/1);

  const auto seen = epoch(sampler, 3);

  BOOST_TEST(sampler.stepsPerEpoch() == 10);
  BOOST_TEST(seen.size() == 100U);
  BOOST_TEST(std::set<std::int64_t>(seen.begin(), seen.end()).size() == 100U);
  BOOST_TEST(*std::min_element(seen.begin(), seen.end()) >= 0);
  BOOST_TEST(*std::max_element(seen.begin(), seen.end()) < 107);
}

BOOST_AUTO_TEST_CASE(makes_the_same_batch_of_any_number_of_parts) {
  Sampler whole(5, 50, 12, 1);
  for (int parts = 1; parts <= 12; ++parts) {
    Sampler sampler(5, 50, 12, parts);
    for (const Step step : {1, 4, 5, 9}) {
      BOOST_TEST(batch(sampler, step, parts) == batch(whole, step, 1),
                 boost::test_tools::per_element());
    }
  }
}

BOOST_AUTO_TEST_CASE(cuts_a_batch_at_the_floor_of_p_b_over_v) {
  Sampler sampler(5, 50, 10, 4);

  std::vector<std::size_t> sizes;
  for (int number = 0; number < 4; ++number)
    sizes.push_back(sampler.indices(1, number).size());

  BOOST_TEST(sizes == (std::vector<std::size_t>{2, 3, 2, 3}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(answers_the_same_in_any_order_of_questions) {
  Sampler forwards(5, 50, 10, 2);
  Sampler backwards(5, 50, 10, 2);
  std::vector<std::vector<std::int64_t>> first;
  std::vector<std::vector<std::int64_t>> second;

  for (Step step = 1; step <= 15; ++step)
    first.push_back(part(forwards, step, 1));
  for (Step step = 15; step >= 1; --step)
    second.push_back(part(backwards, step, 1));

  std::reverse(second.begin(), second.end());
  BOOST_TEST((first == second));
}

BOOST_AUTO_TEST_CASE(shuffles_anew_each_epoch_and_for_each_seed) {
  Sampler sampler(1, 40, 10, 1);
  Sampler other(2, 40, 10, 1);

  BOOST_TEST((epoch(sampler, 0) != epoch(sampler, 1)));
  BOOST_TEST((epoch(sampler, 0) != epoch(other, 0)));
  auto sorted = epoch(sampler, 0);
  BOOST_TEST(!std::is_sorted(sorted.begin(), sorted.end()));
}

BOOST_AUTO_TEST_CASE(gives_the_permutation_that_the_formula_gives) {
  // Computed from the formula by a separate program; another order breaks every job that resumes.
  Sampler sampler(1, 10, 10, 1);

  BOOST_TEST(batch(sampler, 1, 1) == (std::vector<std::int64_t>{1, 9, 8, 3, 4, 0, 5, 7, 6, 2}),
             boost::test_tools::per_element());
  BOOST_TEST(batch(sampler, 2, 1) == (std::vector<std::int64_t>{4, 1, 2, 0, 6, 3, 5, 9, 7, 8}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(begins_an_epoch_after_the_last_whole_batch) {
  const Sampler sampler(1, 29, 10, 1);

  BOOST_TEST(sampler.stepsPerEpoch() == 2);
  BOOST_TEST(sampler.epochOf(1) == 0);
  BOOST_TEST(sampler.epochOf(2) == 0);
  BOOST_TEST(sampler.epochOf(3) == 1);
}

BOOST_AUTO_TEST_CASE(puts_every_sample_first_about_equally_often) {
  Sampler sampler(1, 5, 1, 1);
  std::vector<int> first(5);

  for (std::int64_t number = 0; number < 5000; ++number) {
    ++first[static_cast<std::size_t>(sampler.indices(number * 5 + 1, 0).front())];
  }

  // 1,000 expected with a deviation of 28.
  for (const int times : first)
    BOOST_TEST(std::abs(times - 1000) < 140);
}

BOOST_AUTO_TEST_CASE(works_at_its_smallest) {
  Sampler sampler(1, 1, 1, 1);

  BOOST_TEST(part(sampler, 7, 0) == std::vector<std::int64_t>{0}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(refuses_what_it_cannot_divide) {
  BOOST_CHECK_THROW(Sampler(1, 10, 5, 6), InvariantViolation);
  BOOST_CHECK_THROW(Sampler(1, 4, 5, 1), InvariantViolation);
  BOOST_CHECK_THROW(Sampler(1, 4, 4, 0), InvariantViolation);
  Sampler sampler(1, 10, 5, 2);
  BOOST_CHECK_THROW(sampler.indices(0, 0), InvariantViolation);
  BOOST_CHECK_THROW(sampler.indices(1, 2), InvariantViolation);
  BOOST_CHECK_THROW(sampler.indices(1, -1), InvariantViolation);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::sampler_test
