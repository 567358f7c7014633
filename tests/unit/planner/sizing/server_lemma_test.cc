#include "planner/sizing/server_lemma.h"

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include <boost/test/unit_test.hpp>

#include "tests/papers/architectures.h"

namespace sumac::planner::server_lemma_test {
namespace {

using boost::test_tools::tolerance;

constexpr double kTenGigabit = 1.25e9;   // bytes a second
constexpr double kOneGigabit = 0.125e9;  // bytes a second

ServerLoad load(std::string_view network, std::int64_t workers, double compute_seconds,
                double bytes_per_second) {
  const auto list = papers::architecture(network);
  BOOST_REQUIRE(list);
  return {4 * list->parameters(), workers, compute_seconds, bytes_per_second};
}

template <typename Value>
std::string problemOf(const Result<Value>& result) {
  return result ? "none" : result.error().message;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(z3_server_lemma)

BOOST_AUTO_TEST_CASE(z3_the_numbers_of_servers_are_those_of_the_table) {
  BOOST_TEST(*smallestServers(load("alexnet", 4, 1, kTenGigabit)) == 2);
  BOOST_TEST(*smallestServers(load("alexnet", 4, 0.5, kTenGigabit)) == 4);
  BOOST_TEST(*smallestServers(load("alexnet", 4, 0.25, kTenGigabit)) == 7);
  BOOST_TEST(*smallestServers(load("alexnet", 8, 1, kTenGigabit)) == 4);
  BOOST_TEST(*smallestServers(load("vgg16", 4, 1, kTenGigabit)) == 4);
  BOOST_TEST(*smallestServers(load("resnet50", 8, 0.5, kTenGigabit)) == 3);
  BOOST_TEST(*smallestServers(load("alexnet", 4, 1, kOneGigabit)) == 16);
  BOOST_TEST(*smallestServers(load("ptb-lstm-small", 8, 1, kOneGigabit)) == 3);
}

BOOST_AUTO_TEST_CASE(z3_lenet5_needs_one_server_always) {
  for (const std::int64_t workers : {1, 4, 8})
    BOOST_TEST(*smallestServers(load("lenet5", workers, 0.25, kTenGigabit)) == 1);
}

BOOST_AUTO_TEST_CASE(z3_whole_tensors_leave_one_server_with_62_percent_of_alexnet) {
  const auto list = papers::architecture("alexnet");
  BOOST_REQUIRE(list);
  std::vector<std::int64_t> bytes;
  for (const Layer& layer : list->layers) {
    if (layer.parameters() > 0) bytes.push_back(4 * layer.parameters());
  }

  BOOST_TEST(*busiestShare(bytes, 4) == 0.62, tolerance(0.01));
  BOOST_TEST(*busiestShare(bytes, 1) == 1);
  BOOST_TEST(*busiestShare(std::array<std::int64_t, 3>{5, 5, 5}, 2) == 0.5);
}

BOOST_AUTO_TEST_CASE(its_inverse_agrees_with_it) {
  ServerLoad alexnet = load("alexnet", 4, 0.25, kTenGigabit);
  for (const std::int64_t servers : {1, 2, 3, 7}) {
    alexnet.compute_seconds = *computeSecondsNeeded(alexnet, servers);
    BOOST_TEST(*smallestServers(alexnet) == servers);
  }
}

BOOST_AUTO_TEST_CASE(numbers_that_cannot_be_are_refused) {
  const ServerLoad good{1000, 2, 1, 1000};
  BOOST_TEST(problemOf(smallestServers(good)) == "none");
  const auto with = [&](auto change) {
    ServerLoad bad = good;
    change(bad);
    return problemOf(smallestServers(bad));
  };

  for (const std::string& problem :
       {with([](ServerLoad& bad) { bad.compute_seconds = 0; }),
        with([](ServerLoad& bad) { bad.parameter_bytes = -1; }),
        with([](ServerLoad& bad) { bad.workers = 0; }),
        with([](ServerLoad& bad) { bad.server_bytes_per_second = std::nan(""); }),
        with([](ServerLoad& bad) { bad.compute_seconds = 1e-300; }),
        problemOf(computeSecondsNeeded(good, -1)),
        problemOf(computeSecondsNeeded({1, 1, 1, 1e-320}, 1)), problemOf(busiestShare({}, 1)),
        problemOf(busiestShare(std::array<std::int64_t, 1>{0}, 1)),
        problemOf(busiestShare(std::array<std::int64_t, 1>{1}, 0))}) {
    BOOST_TEST(problem.rfind("number of servers: ", 0) == 0U, problem);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::server_lemma_test
