#include "job/progress/training_curve.h"

#include <boost/test/unit_test.hpp>

#include "base/core/file.h"
#include "job/progress/job_event.h"
#include "tests/support/temporary_folder.h"

namespace sumac::training_curve_test {
namespace {

std::string progressLine(Step step, double loss) {
  Progress progress;
  progress.step = step;
  progress.total_steps = 9;
  progress.loss = loss;
  return toLine(progress) + "\n";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(curve)

BOOST_AUTO_TEST_CASE(takes_the_later_of_two_runs_of_a_step) {
  const TemporaryFolder folder;
  Evaluated images;
  images.step = 1;
  images.test_accuracy = 1;
  Evaluated text;
  text.step = 2;
  text.valid_perplexity = 9;
  const std::string lines = progressLine(1, 9) + "boo\n" + progressLine(1, 3) + toLine(images) +
                            "\n" + toLine(text) + "\n";
  BOOST_REQUIRE(createFile(folder / "m", asBytes(lines)));

  const auto curve = readCurve(folder / "m", "t");

  BOOST_TEST(curve.title == "t");
  BOOST_TEST(curve.loss.size() == 1U);
  BOOST_TEST(curve.loss.at(1) == 3.0);
  BOOST_TEST(curve.accuracy.at(1) == 1.0);
  BOOST_TEST(curve.perplexity.at(2) == 9.0);
  BOOST_TEST(!curve.is_validated);
}

BOOST_AUTO_TEST_CASE(takes_the_accuracy_of_the_validation_split_where_there_is_one) {
  const TemporaryFolder folder;
  Evaluated evaluation;
  evaluation.step = 1;
  evaluation.valid_accuracy = 0.5;
  const std::string first = toLine(evaluation) + "\n";
  evaluation.step = 2;
  evaluation.valid_accuracy = 0.75;
  evaluation.test_accuracy = 0.25;
  BOOST_REQUIRE(createFile(folder / "m", asBytes(first + toLine(evaluation) + "\n")));

  const auto curve = readCurve(folder / "m", "t");

  BOOST_TEST(curve.is_validated);
  BOOST_TEST(curve.accuracy.at(1) == 0.5);
  BOOST_TEST(curve.accuracy.at(2) == 0.75);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::training_curve_test
