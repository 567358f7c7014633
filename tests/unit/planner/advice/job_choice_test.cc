#include "planner/advice/job_choice.h"

#include <algorithm>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace sumac::planner {

BOOST_AUTO_TEST_SUITE(job_choice)

BOOST_AUTO_TEST_CASE(numbers_of_workers_grow_by_halves_from_eight_on) {
  const std::vector<int> expected{1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64};
  BOOST_TEST(workerCounts(64) == expected, boost::test_tools::per_element());
  BOOST_TEST(workerCounts(1024).back() == 1024);
  BOOST_TEST(workerCounts(1).size() == 1U);
}

BOOST_AUTO_TEST_CASE(numbers_of_workers_have_the_jobs_own) {
  const std::vector<int> expected{1, 2, 3, 4, 5, 6, 7, 8, 10, 12};
  BOOST_TEST(workerCounts(12, 10) == expected, boost::test_tools::per_element());
  BOOST_TEST((workerCounts(12, 12) == workerCounts(12)));
  BOOST_TEST((workerCounts(12, 13) == workerCounts(12)));
  BOOST_TEST(workerCounts(12, 11).size() == 10U);
}

BOOST_AUTO_TEST_CASE(servers_are_all_numbers_to_eight_then_powers_of_two) {
  for (const int workers : {5, 8, 24}) {
    std::vector<int> servers;
    for (const JobChoice& choice : candidates({.batches = {64}, .most_workers = workers}))
      if (choice.workers == workers && choice.servers > 0 && choice.codec == Codec::kFp32)
        servers.push_back(choice.servers);
    const std::vector<int> expected = workers == 5   ? std::vector{1, 2, 3, 4, 5}
                                      : workers == 8 ? std::vector{1, 2, 3, 4, 5, 6, 7, 8}
                                                     : std::vector{1, 2, 3, 4, 5, 6, 7, 8, 16, 24};
    BOOST_TEST(servers == expected, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(the_job_as_written_is_one_of_them_once) {
  JobChoice own{.batch = 64, .workers = 4, .logical_workers = 4, .servers = 3};
  const auto count = [&own](int most) {
    const auto choices =
        candidates({.batches = {64}, .most_workers = most, .logical_workers = 4, .written = own});
    return std::ranges::count(choices, own);
  };
  BOOST_TEST(count(8) == 1);
  BOOST_TEST(count(2) == 1);
  own.servers = 9;
  BOOST_TEST(count(8) == 1);
  own = {.batch = 64, .workers = 3, .logical_workers = 4, .method = ExchangeMethod::kScatterGather};
  BOOST_TEST(count(8) == 1);
}

BOOST_AUTO_TEST_CASE(a_part_has_a_worker_and_a_sample_at_most) {
  const auto choices = candidates({.batches = {6}, .most_workers = 8, .logical_workers = 2});

  for (const JobChoice& choice : choices) {
    BOOST_TEST(choice.logical_workers == std::max(2, choice.workers));
    BOOST_TEST(choice.logical_workers <= 6);
  }
  BOOST_TEST(std::ranges::count(choices, 6, &JobChoice::workers) > 0);
}

BOOST_AUTO_TEST_CASE(halving_needs_powers_of_two_of_workers_and_parts) {
  const auto halving = [](int workers, int parts) {
    const auto choices =
        candidates({.batches = {64}, .most_workers = workers, .logical_workers = parts});
    return std::ranges::count_if(choices, [workers](const JobChoice& choice) {
      return choice.workers == workers && choice.method == ExchangeMethod::kHalvingDoubling;
    });
  };
  BOOST_TEST(halving(4, 8) == 2);  // with each codec
  BOOST_TEST(halving(4, 6) == 0);
  BOOST_TEST(halving(6, 8) == 0);
}

BOOST_AUTO_TEST_CASE(the_largest_jobs_keep_the_schemas_limits) {
  const auto choices = candidates({.batches = {4096}, .most_workers = 1024, .logical_workers = 1});

  for (const JobChoice& choice : choices) {
    BOOST_TEST(choice.servers <= 256);
    BOOST_TEST((choice.servers > 0 || choice.workers <= 256));
  }
  BOOST_TEST(choices.size() < 700U);  // a mini-batch: what a plan takes grows with these
}

BOOST_AUTO_TEST_CASE(one_worker_without_servers_is_one_configuration) {
  const auto choices = candidates({.batches = {64}, .most_workers = 4, .logical_workers = 4});
  BOOST_TEST(std::ranges::count_if(choices, hasNoExchange) == 1);
  job::TrainingJob job;
  job.training.batch_size = 64;
  job.training.logical_workers = 4;
  job.worker.replicas = 1;
  job.server.replicas = 0;
  job.strategy.method = ExchangeMethod::kRing;
  job.strategy.codec = Codec::kBf16;
  const JobChoice own = choiceOf(job);
  BOOST_TEST(std::ranges::count(choices, own) == 1);
}

BOOST_AUTO_TEST_CASE(a_job_with_a_choice_has_that_choice) {
  for (const JobChoice& choice :
       candidates({.batches = {64}, .most_workers = 4, .logical_workers = 4}))
    BOOST_TEST((choiceOf(withChoice({}, choice)) == choice), choice.members());
}

BOOST_AUTO_TEST_CASE(where_members_change_only_what_keeps_the_bits_is_tried) {
  const CandidateSpace space{.batches = {64}, .most_workers = 4, .logical_workers = 4};
  CandidateSpace changing = space;
  changing.changes_members = true;
  changing.least_workers = 2;
  for (const JobChoice& choice : candidates(changing)) {
    BOOST_TEST(choice.workers >= 2);
    BOOST_TEST((choice.codec == Codec::kFp32));
    BOOST_TEST((choice.method != ExchangeMethod::kRing));
  }
  const auto isSame = [](const JobChoice& choice) {
    return choice.workers >= 2 && choice.codec == Codec::kFp32 &&
           choice.method != ExchangeMethod::kRing;
  };
  BOOST_TEST(std::ssize(candidates(changing)) == std::ranges::count_if(candidates(space), isSame));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner
