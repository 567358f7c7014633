#include <fstream>
#include <sstream>
#include <string>

#include <boost/test/unit_test.hpp>

#include "planner/convolution_choice/choice.h"

namespace sumac::planner::choice_golden_test {
namespace {

/// One line of tests/golden/convolution_choice_golden.txt.
struct Golden {
  std::int64_t convolutions = 0;
  std::int64_t algorithms = 0;
  std::int64_t salt = 0;
  std::int64_t correlated = 0;
  std::int64_t bound_bytes = 0;
  std::int64_t optimum_seconds = 0;
};

/// The formula of tests/golden/convolution_choice_golden.py.
std::int64_t mix(std::int64_t convolution, std::int64_t algorithm, std::int64_t salt) {
  const std::int64_t number = convolution * 7919 + algorithm * 104729 + salt * 1299709;
  return number * number % 1000003 * 40503 / 64 % 10000;
}

std::vector<ConvolutionAlgorithms> instance(const Golden& golden) {
  std::vector<ConvolutionAlgorithms> program;
  for (std::int64_t k = 0; k < golden.convolutions; ++k) {
    ConvolutionAlgorithms convolution{"conv" + std::to_string(k), {}};
    for (std::int64_t j = 0; j < golden.algorithms; ++j) {
      const std::int64_t bytes = mix(k, j, golden.salt);
      const std::int64_t other = mix(k, j, golden.salt + 1);
      const std::int64_t seconds = golden.correlated == 1 ? 12000 - bytes + other % 2000 : other;
      convolution.algorithms.push_back({"", static_cast<double>(seconds), bytes});
    }
    program.push_back(std::move(convolution));
  }
  return program;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(z1_golden)

BOOST_AUTO_TEST_CASE(z1_the_program_equals_a_mip_solver) {
  std::ifstream file(SUMAC_GOLDEN_FOLDER "/convolution_choice_golden.txt");
  int lines = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.front() == '#') continue;
    Golden golden;
    std::istringstream(line) >> golden.convolutions >> golden.algorithms >> golden.salt >>
        golden.correlated >> golden.bound_bytes >> golden.optimum_seconds;

    const auto choice = chooseAlgorithms(instance(golden), golden.bound_bytes);

    BOOST_REQUIRE(choice);
    BOOST_TEST(choice->seconds == static_cast<double>(golden.optimum_seconds), line);
    BOOST_TEST(choice->is_optimal);
    BOOST_TEST(choice->workspace_bytes <= golden.bound_bytes);
    ++lines;
  }
  BOOST_TEST(lines >= 50);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::choice_golden_test
