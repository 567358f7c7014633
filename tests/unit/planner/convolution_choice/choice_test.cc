#include "planner/convolution_choice/choice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <random>

#include <boost/test/unit_test.hpp>

#include "tests/support/refusals.h"

namespace sumac::planner::choice_test {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

using Program = std::vector<ConvolutionAlgorithms>;

/// Four convolutions with three algorithms each; optima counted by hand.
Program theVector() {
  return {{"conv1", {{"a", 10, 0}, {"b", 6, 40}, {"c", 4, 120}}},
          {"conv2", {{"a", 20, 0}, {"b", 9, 60}, {"c", 7, 200}}},
          {"conv3", {{"a", 15, 0}, {"b", 8, 50}, {"c", 5, 150}}},
          {"conv4", {{"a", 12, 0}, {"b", 7, 30}, {"c", 6, 80}}}};
}

/// Times and sizes are whole and small, so that equal ones are frequent.
Program random(std::mt19937& generator, std::size_t convolutions, std::size_t most_algorithms) {
  std::uniform_int_distribution<int> seconds(0, 40);
  std::uniform_int_distribution<int> bytes(0, 30);
  std::uniform_int_distribution<std::size_t> algorithms(1, most_algorithms);
  Program program(convolutions);
  for (ConvolutionAlgorithms& convolution : program) {
    convolution.algorithms.resize(algorithms(generator));
    for (AlgorithmCost& cost : convolution.algorithms) {
      cost.seconds = seconds(generator);
      cost.workspace_bytes = bytes(generator);
    }
  }
  return program;
}

/// The optimum by trying all choices; nothing if none fits.
std::optional<double> bruteForce(const Program& program, std::int64_t bound) {
  std::optional<double> best;
  std::vector<std::size_t> choice(program.size(), 0);
  while (true) {
    double seconds = 0;
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < program.size(); ++i) {
      seconds += program[i].algorithms[choice[i]].seconds;
      bytes += program[i].algorithms[choice[i]].workspace_bytes;
    }
    if (bytes <= bound && (!best || seconds < *best)) best = seconds;
    std::size_t i = 0;
    while (i < program.size() && ++choice[i] == program[i].algorithms.size())
      choice[i++] = 0;
    if (i == program.size()) return best;
  }
}

/// Whether a choice's sums are those of its algorithms, and within the bound.
bool isConsistent(const Program& program, const Choice& choice, std::int64_t bound) {
  if (choice.algorithms.size() != program.size()) return false;
  double seconds = 0;
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < program.size(); ++i) {
    const AlgorithmCost& cost = program[i].algorithms.at(choice.algorithms[i]);
    seconds += cost.seconds;
    bytes += cost.workspace_bytes;
  }
  return bytes <= bound && bytes == choice.workspace_bytes &&
         std::abs(seconds - choice.seconds) < 1e-9 && choice.seconds_lower_bound <= choice.seconds;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(z1_convolution_choice)

BOOST_AUTO_TEST_CASE(z1_the_program_has_the_optimum_at_all_thirteen_bounds) {
  struct Optimum {
    std::int64_t bound;
    double seconds;
    std::vector<std::size_t> choice;
  };
  const std::vector<Optimum> optima{
      {0, 57, {0, 0, 0, 0}},   {30, 52, {0, 0, 0, 1}},  {60, 46, {0, 1, 0, 0}},
      {100, 41, {0, 1, 0, 1}}, {110, 39, {0, 1, 1, 0}}, {150, 34, {0, 1, 1, 1}},
      {180, 30, {1, 1, 1, 1}}, {250, 29, {1, 1, 1, 2}}, {300, 27, {1, 1, 2, 1}},
      {400, 25, {2, 1, 2, 1}}, {450, 24, {2, 1, 2, 2}}, {500, 23, {2, 2, 2, 1}},
      {550, 22, {2, 2, 2, 2}}};
  for (const Optimum& optimum : optima) {
    BOOST_TEST_CONTEXT("bound " << optimum.bound) {
      const auto choice = chooseAlgorithms(theVector(), optimum.bound);

      BOOST_REQUIRE(choice);
      BOOST_TEST(choice->seconds == optimum.seconds);
      BOOST_TEST(choice->algorithms == optimum.choice, boost::test_tools::per_element());
      BOOST_TEST(choice->is_optimal);
      BOOST_TEST(choice->seconds_lower_bound == choice->seconds);
    }
  }
}

BOOST_AUTO_TEST_CASE(z1_the_program_equals_brute_force_at_every_bound_of_the_vector) {
  const Program program = theVector();
  for (std::int64_t bound = 0; bound <= 560; ++bound) {
    const auto choice = chooseAlgorithms(program, bound);

    BOOST_REQUIRE(choice);
    BOOST_TEST(choice->seconds == bruteForce(program, bound).value(), "bound " << bound);
  }
}

BOOST_AUTO_TEST_CASE(z1_the_program_equals_brute_force_on_random_instances) {
  constexpr unsigned kSeed = 20170924;
  std::mt19937 generator(kSeed);
  std::uniform_int_distribution<std::size_t> convolutions(1, 6);
  std::uniform_int_distribution<std::int64_t> bounds(0, 120);
  int feasible = 0;
  for (int i = 0; i < 800; ++i) {
    const Program program = random(generator, convolutions(generator), 4);
    const std::int64_t bound = bounds(generator);
    const std::optional<double> best = bruteForce(program, bound);

    const auto choice = chooseAlgorithms(program, bound);

    BOOST_REQUIRE_MESSAGE(choice.has_value() == best.has_value(), "instance " << i);
    if (!best) continue;
    ++feasible;
    BOOST_TEST(choice->seconds == *best, "instance " << i);
    BOOST_TEST(isConsistent(program, *choice, bound), "instance " << i);
  }
  BOOST_TEST(feasible > 400);
}

BOOST_AUTO_TEST_CASE(ten_thousand_convolutions_are_solved_exactly) {
  constexpr unsigned kSeed = 3;
  std::mt19937 generator(kSeed);
  std::uniform_real_distribution<double> seconds(1e-4, 1e-1);
  std::uniform_int_distribution<std::int64_t> bytes(0, std::int64_t{1} << 30);
  Program program(10'000);
  std::int64_t fastest_bytes = 0;
  for (ConvolutionAlgorithms& convolution : program) {
    for (int i = 0; i < 5; ++i)
      convolution.algorithms.push_back({"", seconds(generator), bytes(generator)});
    fastest_bytes += std::min_element(convolution.algorithms.begin(), convolution.algorithms.end(),
                                      [](const AlgorithmCost& a, const AlgorithmCost& b) {
                                        return a.seconds < b.seconds;
                                      })
                         ->workspace_bytes;
  }

  const auto choice = chooseAlgorithms(program, fastest_bytes / 2);

  BOOST_REQUIRE(choice);
  BOOST_TEST(choice->is_optimal);
  BOOST_TEST(isConsistent(program, *choice, fastest_bytes / 2));
}

BOOST_AUTO_TEST_CASE(an_instance_that_is_too_hard_ends_with_a_bound) {
  // Time falls with size by nearly the same amount a byte: hardly any choice can be ruled out.
  constexpr unsigned kSeed = 5;
  std::mt19937 generator(kSeed);
  std::uniform_int_distribution<std::int64_t> bytes(1, std::int64_t{1} << 40);
  Program program(400);
  std::int64_t most = 0;
  for (ConvolutionAlgorithms& convolution : program) {
    std::int64_t largest = 0;
    for (int i = 0; i < 5; ++i) {
      const std::int64_t own = bytes(generator);
      convolution.algorithms.push_back({"", 2000 - static_cast<double>(own) * 1e-9, own});
      largest = std::max(largest, own);
    }
    most += largest;
  }

  const auto choice = chooseAlgorithms(program, most / 2, /*max_states=*/5000);

  BOOST_REQUIRE(choice);
  BOOST_TEST(!choice->is_optimal);
  BOOST_TEST(isConsistent(program, *choice, most / 2));
  BOOST_TEST(choice->seconds_lower_bound < choice->seconds);
  BOOST_TEST(choice->seconds_lower_bound > 0.999 * choice->seconds);
}

BOOST_AUTO_TEST_CASE(one_convolution_gets_the_fastest_algorithm_that_fits) {
  const Program program{{"conv1", {{"slow", 3, 0}, {"fast", 1, 10}, {"useless", 2, 20}}}};

  BOOST_TEST(chooseAlgorithms(program, 9)->seconds == 3);
  BOOST_TEST(chooseAlgorithms(program, 10)->seconds == 1);
  BOOST_TEST(chooseAlgorithms(program, kMost)->algorithms.front() == 1U);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_is_refused_with_its_place) {
  Program program = theVector();
  for (ConvolutionAlgorithms& convolution : program)
    convolution.algorithms.front().workspace_bytes = 25;
  BOOST_TEST(chooseAlgorithms(program, 100).has_value());
  const auto choose = [](const Program& convolutions, std::int64_t bound) {
    return chooseAlgorithms(convolutions, bound);
  };
  const auto with = [&](double seconds, std::int64_t bytes) {
    return choose({{"conv1", {{"fft", seconds, bytes}}}, {"conv2", {{"fft", 1, 1}}}}, 100);
  };
  BOOST_TEST(with(0, 0).has_value());
  constexpr double kLargest = std::numeric_limits<double>::max();

  test::Refusals refusals;
  refusals.add("a byte too few", chooseAlgorithms(program, 99), "99 bytes");
  refusals.add("a bound below zero", chooseAlgorithms(program, -1));
  refusals.add("time below zero", with(-1, 0), "conv1, algorithm fft");
  refusals.add("time that is no number", with(std::nan(""), 0), "conv1, algorithm fft");
  refusals.add("time without end", with(std::numeric_limits<double>::infinity(), 0), "fft");
  refusals.add("bytes below zero", with(1, -1), "conv1, algorithm fft");
  refusals.add("bytes that overflow", with(1, kMost));
  refusals.add("nothing", choose({}, 0));
  refusals.add("no algorithm", choose({{"conv1", {}}}, 0), "conv1");
  refusals.add("times that overflow",
               choose({{"a", {{"x", kLargest, 0}}}, {"b", {{"x", kLargest, 0}}}}, 0));
  refusals.compareWith("planner/convolution_choice/choice.txt");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::choice_test
