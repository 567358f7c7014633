#include "experiment/measure/figures.h"

#include <boost/test/unit_test.hpp>

namespace sumac::experiment::figures_test {
namespace {

std::string line(int step, double seconds) {
  return R"({"event":"progress","step":)" + std::to_string(step) +
         R"(,"totalSteps":99,"epoch":1,"loss":1,"seconds":)" + std::to_string(seconds) + "}\n";
}

/// With what the phases took so far, each half as long as the one before.
std::string line(int step, double seconds, double gradients) {
  std::string text = line(step, seconds);
  text.erase(text.size() - 2);
  for (const char* const phase :
       {"gradientSeconds", "updateSeconds", "sumWaitSeconds", "dataWaitSeconds"}) {
    text += std::string(",\"") + phase + "\":" + std::to_string(gradients);
    gradients /= 2;
  }
  return text + "}\n";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(figures)

BOOST_AUTO_TEST_CASE(neither_the_warm_up_nor_the_last_step_counts) {
  const auto figures = figuresOf(
      line(1, 5) + line(2, 9) + line(3, 9.5) + line(4, 10.5) + line(5, 11) + line(6, 11.1), 2);

  BOOST_REQUIRE(figures.has_value());
  BOOST_TEST(figures->steps == 3);
  BOOST_TEST(figures->seconds == 2);
  BOOST_TEST(figures->batchesPerSecond() == 1.5);
  BOOST_TEST(figures->step_seconds == (std::vector{0.5, 1.0, 0.5}),
             boost::test_tools::per_element());
  BOOST_TEST(figures->medianStepSeconds() == 0.5);
}

BOOST_AUTO_TEST_CASE(a_line_for_several_steps_has_their_mean) {
  const auto figures = figuresOf(line(10, 1) + line(20, 2) + line(24, 3) + line(30, 4), 15);

  BOOST_REQUIRE(figures.has_value());
  BOOST_TEST(figures->steps == 4);  // the line of step 20 is the first after the warm-up
  BOOST_TEST(figures->step_seconds == (std::vector{0.25}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(where_only_the_last_line_tells_a_time_it_counts) {
  const auto figures = figuresOf(line(10, 1) + line(20, 2) + line(30, 4), 15);

  BOOST_REQUIRE(figures.has_value());
  BOOST_TEST(figures->steps == 10);
  BOOST_TEST(figures->seconds == 2);
}

BOOST_AUTO_TEST_CASE(other_lines_are_passed_over) {
  const auto figures = figuresOf(line(1, 1) + "{\"event\":\"checkpoint\",\"step\":1}\nrubbish\n\n" +
                                     line(2, 2) + line(3, 3) + R"({"event":"progress","step":4)",
                                 1);
  BOOST_REQUIRE(figures.has_value());
  BOOST_TEST(figures->steps == 1);
}

BOOST_AUTO_TEST_CASE(what_has_no_time_is_refused) {
  BOOST_TEST(!figuresOf("", 1).has_value());
  BOOST_TEST(!figuresOf(line(1, 1), 1).has_value());
  const std::string last = line(3, 3);
  BOOST_TEST(!figuresOf(line(1, 1) + line(2, 2) + last, 3).has_value());
  BOOST_TEST(!figuresOf(line(1, 1) + line(2, 1) + last, 1).has_value());  // infinitely fast
  BOOST_TEST(!figuresOf(line(2, 1) + line(1, 2) + last, 1).has_value());
  BOOST_TEST(!figuresOf(line(1, 2) + line(2, 1) + last, 1).has_value());
}

BOOST_AUTO_TEST_CASE(phases_are_those_of_the_measured_steps_alone) {
  const auto figures = figuresOf(
      line(1, 5, 4) + line(2, 9, 7) + line(3, 10, 7.5) + line(4, 11, 8) + line(5, 11.1, 9), 2);

  BOOST_REQUIRE(figures.has_value() && figures->phases.has_value());
  BOOST_TEST((*figures->phases == StepPhases{0.5, 0.25, 0.125, 0.0625}));
}

BOOST_AUTO_TEST_CASE(lines_that_do_not_tell_phases_or_take_time_back_leave_them_unknown) {
  const std::string last = line(4, 4, 4);
  BOOST_TEST(!figuresOf(line(1, 1) + line(2, 2, 2) + line(3, 3, 3) + last, 1)->phases);
  BOOST_TEST(!figuresOf(line(1, 1, 1) + line(2, 2) + line(3, 3) + last, 1)->phases);
  BOOST_TEST(!figuresOf(line(1, 1, 3) + line(2, 2, 2) + line(3, 3, 1) + last, 1)->phases);
}

BOOST_AUTO_TEST_CASE(a_result_tells_the_bytes_of_a_step) {
  RunFigures figures{3, 1.75, {0.5}};
  addResult(figures, R"({"steps":10,"sentBytes":100,"receivedBytes":50})");

  BOOST_REQUIRE(figures.bytes.has_value());
  BOOST_TEST(figures.bytes->sent == 10);
  BOOST_TEST(figures.bytes->received == 5);
}

BOOST_AUTO_TEST_CASE(a_result_tells_what_was_learned_and_from_which_seed) {
  const Learned expected{{{Score::kLoss, 0.5}, {Score::kValidAccuracy, 0.75}}, 3};
  JobResult result;
  result.setting.seed = 3;
  result.loss = 0.5;
  result.valid_accuracy = 0.75;
  for (const std::string& text : {toFile(result), toMessage(result)}) {
    RunFigures figures{3, 1.75, {0.5}};
    addResult(figures, text);
    BOOST_TEST((figures.learned == expected), text);
  }
  result.is_emulated = true;
  RunFigures figures{3, 1.75, {0.5}};
  addResult(figures, toFile(result));
  BOOST_TEST(figures.learned.scores.empty());
}

BOOST_AUTO_TEST_CASE(a_result_that_tells_nothing_leaves_it_unknown) {
  for (const char* const text :
       {"", "[]", "{}", R"({"steps":0,"sentBytes":1,"receivedBytes":1})",
        R"({"steps":1,"sentBytes":-1,"receivedBytes":1})", R"({"steps":1,"sentBytes":1})"}) {
    RunFigures figures{3, 1.75, {0.5}};
    addResult(figures, text);
    BOOST_TEST(!figures.bytes.has_value(), text);
  }
}

BOOST_AUTO_TEST_CASE(a_file_reads_back) {
  RunFigures figures{3, 1.75, {0.5, 0.25, 1}};
  figures.phases = StepPhases{0.25, 0.125, 0.0625, 0};
  figures.bytes = StepBytes{1000, 0.5};
  figures.left_on_volume = "runs/grows-1-1";
  figures.lacking_cores = 0.25;
  figures.learned = {{{Score::kLoss, 0.5},
                      {Score::kValidAccuracy, 0.75},
                      {Score::kTestAccuracy, 0.25},
                      {Score::kValidPerplexity, 100},
                      {Score::kTestPerplexity, 101}},
                     7};
  const auto back = figuresFromFile(toFile(figures, "it"), "it");

  BOOST_REQUIRE(back.has_value());
  BOOST_TEST(back->steps == 3);
  BOOST_TEST(back->seconds == 1.75);
  BOOST_TEST(back->step_seconds == figures.step_seconds, boost::test_tools::per_element());
  BOOST_TEST((back->phases == figures.phases));
  BOOST_TEST((back->bytes == figures.bytes));
  BOOST_TEST((back->lacking_cores == figures.lacking_cores));
  BOOST_TEST(back->left_on_volume == figures.left_on_volume);
  BOOST_TEST((back->learned == figures.learned));
  const auto bare =
      figuresFromFile(toFile({4, 1.75, {0.25, 0.5}}, "it"), "it");  // the second: three steps
  BOOST_TEST(!bare->phases.has_value());
  BOOST_TEST(!bare->bytes.has_value());
  BOOST_TEST(bare->learned.scores.empty());
}

BOOST_AUTO_TEST_CASE(rounded_times_still_fit_their_sum) {
  constexpr double kRoundedDown = 1.0000049e-3;  // each of them, but not their sum
  for (const int steps : {1, 3, 9, 200}) {
    RunFigures figures{steps, steps * kRoundedDown, {}};
    figures.step_seconds.assign(static_cast<std::size_t>(steps), kRoundedDown);
    BOOST_TEST(figuresFromFile(toFile(figures, "it"), "it").has_value(), steps);
  }
}

BOOST_AUTO_TEST_CASE(a_file_that_is_not_a_run_is_refused) {
  const std::string good = toFile({3, 1.75, {0.5, 0.25, 1}}, "it");
  for (std::size_t length = 0; length + 2 < good.size(); ++length)
    BOOST_TEST(!figuresFromFile(good.substr(0, length), "it").has_value());
  for (const char* const bad :
       {"[]", "{}", R"({"schemaVersion":2,"steps":1,"seconds":1,"stepSeconds":[1]})",
        R"({"schemaVersion":4,"run":"it","steps":0,"seconds":1,"stepSeconds":[1]})",
        R"({"schemaVersion":4,"run":"it","steps":1,"seconds":0,"stepSeconds":[1]})",
        R"({"schemaVersion":4,"run":"it","steps":1,"seconds":1,"stepSeconds":[]})",
        R"({"schemaVersion":4,"run":"it","steps":1,"seconds":1,"stepSeconds":["1"]})",
        R"({"schemaVersion":4,"run":"it","steps":"1","seconds":1,"stepSeconds":[1]})",
        R"({"schemaVersion":4,"run":"it","steps":1,"seconds":1,"stepSeconds":[0.5,0.5]})",
        R"({"schemaVersion":4,"run":"it","steps":1,"seconds":1,"stepSeconds":[1],"learned":{}})",
        R"({"schemaVersion":4,"run":"it","steps":1,"seconds":1,"stepSeconds":[1],"learned":
            {"seed":1,"loss":"0"}})",
        R"({"schemaVersion":4,"run":"it","steps":2,"seconds":1,"stepSeconds":[0.5,0.4]})",
        R"({"schemaVersion":4,"run":"it","steps":200,"seconds":1,"stepSeconds":[0.5,0.5]})"})
    BOOST_TEST(!figuresFromFile(bad, "it").has_value(), bad);
  BOOST_TEST(figuresFromFile(good, "it").has_value());
  BOOST_TEST(!figuresFromFile(good, "another").has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::experiment::figures_test
