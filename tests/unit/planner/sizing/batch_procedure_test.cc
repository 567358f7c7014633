#include "planner/sizing/batch_procedure.h"

#include <cmath>
#include <string>

#include <boost/test/unit_test.hpp>

namespace sumac::planner::batch_procedure_test {
namespace {

using boost::test_tools::per_element;

/// One convolution: slow, or fast with 10 bytes of workspace for each sample.
Result<std::vector<ConvolutionAlgorithms>> costs(std::int64_t batch) {
  const auto samples = static_cast<double>(batch);
  return std::vector<ConvolutionAlgorithms>{
      {"conv1", {{"direct", 2 * samples, 5}, {"fft", samples, 10 * batch}}}};
}

template <typename Value>
std::string problemOf(const Result<Value>& result) {
  return result ? "none" : result.error().message;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(batch_procedure)

BOOST_AUTO_TEST_CASE(candidates_are_powers_of_two_up_to_the_largest_batch) {
  BOOST_TEST(candidateBatches(1) == (std::vector<std::int64_t>{1}), per_element());
  BOOST_TEST(candidateBatches(2) == (std::vector<std::int64_t>{1, 2}), per_element());
  BOOST_TEST(candidateBatches(7) == (std::vector<std::int64_t>{1, 2, 4}), per_element());
  BOOST_TEST(candidateBatches(8) == (std::vector<std::int64_t>{1, 2, 4, 8}), per_element());
  BOOST_TEST(candidateBatches(std::int64_t{1} << 62).size() == 63U);
}

BOOST_AUTO_TEST_CASE(a_larger_batch_leaves_less_for_workspaces) {
  const MemoryUse use{/*feature_map_bytes_per_sample=*/20, 8, 0};

  const auto solved = solveBatches(use, /*device_bytes=*/100, costs);

  // 8 + 20 X are taken: 72, 52 and 12 bytes are left.
  BOOST_REQUIRE(solved);
  BOOST_REQUIRE(solved->size() == 3U);
  BOOST_TEST((*solved)[0].workspace_bound_bytes == 72);
  BOOST_TEST((*solved)[0].choice.seconds == 1);
  BOOST_TEST((*solved)[1].batch == 2);
  BOOST_TEST((*solved)[1].choice.seconds == 2);
  BOOST_TEST((*solved)[2].workspace_bound_bytes == 12);
  BOOST_TEST((*solved)[2].choice.seconds == 8);  // fft would take 40 bytes
}

BOOST_AUTO_TEST_CASE(a_candidate_without_room_for_workspaces_is_left_out) {
  const MemoryUse use{20, 8, 0};

  const auto solved = solveBatches(use, /*device_bytes=*/92, costs);

  BOOST_REQUIRE(solved);
  BOOST_TEST(solved->size() == 2U);
}

BOOST_AUTO_TEST_CASE(no_candidate_at_all_is_refused_with_the_reason) {
  const MemoryUse use{20, 8, 0};

  BOOST_TEST(problemOf(solveBatches(use, 30, costs)).find("need 5 bytes") != std::string::npos);
  BOOST_TEST(problemOf(solveBatches(use, 20, costs)).find("8 bytes more") != std::string::npos);
  const auto failing = [](std::int64_t /*batch*/) {
    return Result<std::vector<ConvolutionAlgorithms>>(Error{ErrorCode::kNotFound, "no profile"});
  };
  BOOST_TEST(problemOf(solveBatches(use, 100, failing)) == "mini-batch of 1: no profile");
  const auto empty = [](std::int64_t /*batch*/) {
    return Result<std::vector<ConvolutionAlgorithms>>(std::vector<ConvolutionAlgorithms>{});
  };
  BOOST_TEST(problemOf(solveBatches(use, 100, empty)).find("no convolution") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_best_batch_is_the_fastest_to_the_target) {
  // Until 64 the time of a step hardly grows; from 128 on more samples are needed.
  const std::vector<BatchCandidate> candidates{{32, 1.0, 1000}, {64, 1.1, 500}, {128, 2.2, 400}};

  const auto ranked = rankBatches(candidates);

  BOOST_REQUIRE(ranked);
  BOOST_TEST((*ranked)[0].batch == 64);
  BOOST_TEST((*ranked)[0].secondsToTarget() == 550);
  BOOST_TEST((*ranked)[1].batch == 128);
  BOOST_TEST((*ranked)[2].batch == 32);
}

BOOST_AUTO_TEST_CASE(of_equal_candidates_the_smallest_batch_is_first) {
  const std::vector<BatchCandidate> candidates{{64, 2, 50}, {32, 1, 100}};

  BOOST_TEST(rankBatches(candidates)->front().batch == 32);
}

BOOST_AUTO_TEST_CASE(candidates_that_cannot_be_are_refused) {
  const auto with = [](std::int64_t batch, double seconds, double steps) {
    return problemOf(rankBatches(std::vector<BatchCandidate>{{batch, seconds, steps}}));
  };

  BOOST_TEST(with(1, 1, 1) == "none");
  BOOST_TEST(problemOf(rankBatches({})).find("no candidate") != std::string::npos);
  for (const std::string& problem : {with(0, 1, 1), with(1, 0, 1), with(1, 1, std::nan("")),
                                     with(1, 1e200, 1e200), with(1, -1, -1)}) {
    BOOST_TEST(problem.rfind("mini-batch size: found ", 0) == 0U, problem);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::batch_procedure_test
