#include "cli/compare/comparison.h"

#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "base/report/html.h"
#include "base/report/text.h"
#include "tests/support/golden.h"

namespace sumac::cli::comparison_test {
namespace {

RunRecord run(const std::string& name, const char* rate) {
  RunRecord made;
  made.name = name;
  made.fields = {{"training.batchSize", "64"}, {"training.optimizer.learningRate", rate}};
  made.state = "Succeeded";
  made.steps = 20;
  made.curves[Measure::kTrainLoss] = {{10, 1.5}, {20, 1.0}};
  return made;
}

std::string textOf(const std::vector<RunRecord>& runs) {
  const auto report = comparisonOf(runs);
  BOOST_TEST_REQUIRE(report.has_value());
  return report::toText(*report, {});
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(run_comparison)

BOOST_AUTO_TEST_CASE(names_each_difference_by_the_end_of_its_path_that_no_other_has) {
  auto one = run("a", "0.1");
  auto other = run("b", "0.2");
  one.fields.emplace_back("training.optimizer.name", "sgd");
  one.fields.emplace_back("model.name", "lenet5");
  other.fields.emplace_back("training.optimizer.name", "adam");
  other.fields.emplace_back("model.name", "resnet50");

  const auto all = differencesOf({one, other});
  BOOST_TEST_REQUIRE(all.size() == 3U);
  BOOST_TEST(all[0].name == "learningRate");
  BOOST_TEST(all[1].name == "optimizer.name");
  BOOST_TEST(all[2].name == "model.name");
}

BOOST_AUTO_TEST_CASE(a_field_that_one_job_lacks_is_a_difference) {
  auto one = run("a", "0.1");
  one.fields.emplace_back("training.clip.globalNorm", "5");
  const auto all = differencesOf({one, run("b", "0.1")});
  BOOST_TEST_REQUIRE(all.size() == 1U);
  BOOST_TEST(all[0].values == (std::vector<std::string>{"5", ""}),
             boost::test_tools::per_element());
  BOOST_TEST(has(textOf({one, run("b", "0.1")}), "globalNorm"));
}

BOOST_AUTO_TEST_CASE(the_best_run_is_that_of_the_validation_split) {
  auto low = run("low", "0.1");
  auto high = run("high", "0.2");
  low.curves[Measure::kValidationAccuracy] = {{10, 0.9}, {20, 0.8}};
  high.curves[Measure::kValidationAccuracy] = {{10, 0.7}, {20, 0.85}};
  high.curves[Measure::kTestAccuracy] = {{20, 0.99}};

  const std::string text = textOf({low, high});
  BOOST_TEST(has(text, "low has the highest validation accuracy, 90.00 % at step 10."), text);
  BOOST_TEST(has(text, "spec.training.optimizer.learningRate."), text);
}

BOOST_AUTO_TEST_CASE(test_values_choose_nothing) {
  auto one = run("a", "0.1");
  one.curves[Measure::kTestLoss] = {{10, 0.25}, {20, 0.5}};
  const std::string text = textOf({one, run("b", "0.2")});
  BOOST_TEST(!has(text, "a has the"), text);
  BOOST_TEST(has(text, "0.5000"), text);  // the last one, not the best
  BOOST_TEST(!has(text, "0.2500"), text);
}

BOOST_AUTO_TEST_CASE(a_perplexity_is_the_better_the_lower) {
  auto one = run("a", "0.1");
  auto other = run("b", "0.2");
  one.is_text = other.is_text = true;
  one.curves[Measure::kValidationPerplexity] = {{20, 120}};
  other.curves[Measure::kValidationPerplexity] = {{20, 110}};
  BOOST_TEST(has(textOf({one, other}), "b has the lowest validation perplexity, 110.0000 at step"));
}

BOOST_AUTO_TEST_CASE(tells_of_equal_parameters_failures_and_runs_without_an_end) {
  auto one = run("a", "0.1");
  auto other = run("b", "0.1");
  one.parameters_sha256 = other.parameters_sha256 = "d0d0";
  auto failed = run("c", "0.1");
  failed.state = "Failed";
  failed.cause = "the loss is not finite";
  auto killed = run("d", "0.1");
  killed.state = "Unfinished";

  const std::string text = textOf({one, other, failed, killed});
  test::checkGolden("cli/compare/runs.txt", text);
  BOOST_TEST(has(text, "SHA-256 d0d0."), text);
  BOOST_TEST(has(text, "c ended: the loss is not finite"), text);
  BOOST_TEST(has(text, "result.json"), text);
}

BOOST_AUTO_TEST_CASE(many_differences_have_a_table_of_their_own) {
  std::vector<RunRecord> runs{run("a", "0.1"), run("b", "0.2"), run("c", "0.1")};
  for (int field = 0; field < 7; ++field)
    runs[2].fields.emplace_back("data.field" + std::to_string(field), "x");
  const std::string text = textOf(runs);
  BOOST_TEST(has(text, "8 fields"), text);
  BOOST_TEST(has(text, "0.1: a, c; 0.2: b"), text);
}

BOOST_AUTO_TEST_CASE(text_and_images_do_not_compare) {
  auto text = run("words", "0.1");
  text.is_text = true;
  const auto refused = comparisonOf({text, run("pictures", "0.1")});
  BOOST_TEST_REQUIRE(!refused);
  BOOST_TEST(has(refused.error().message, "words is of text, pictures is not"));

  auto never_trained = run("failed", "0.1");
  never_trained.curves.clear();
  BOOST_TEST(comparisonOf({text, never_trained}).has_value());
}

BOOST_AUTO_TEST_CASE(one_run_and_twenty_are_tables_and_pages) {
  BOOST_TEST(has(textOf({run("only", "0.1")}), "only"));
  std::vector<RunRecord> runs;
  for (int i = 0; i < 20; ++i)
    runs.push_back(run("run-" + std::to_string(i), std::to_string(i).c_str()));
  const auto report = comparisonOf(runs);
  BOOST_TEST_REQUIRE(report.has_value());
  const std::string page = report::toPage(*report);
  BOOST_TEST(has(page, "Training loss"));
  BOOST_TEST(has(page, "run-19"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::comparison_test
