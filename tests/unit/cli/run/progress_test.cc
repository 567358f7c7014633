#include "cli/run/progress.h"

#include <boost/test/unit_test.hpp>

namespace sumac::cli {

BOOST_AUTO_TEST_SUITE(progress)

BOOST_AUTO_TEST_CASE(reads_each_kind_of_line) {
  const auto event = parseEvent(
      R"({"event":"progress","step":3,"totalSteps":9,"epoch":1,"loss":0.5,"samplesPerSecond":64,"seconds":2})");
  BOOST_REQUIRE(event);
  const auto& progress = std::get<Progress>(*event);
  BOOST_TEST(progress.step == 3);
  BOOST_TEST(progress.total_steps.value() == 9);
  BOOST_TEST(progress.epoch.value() == 1);
  BOOST_TEST(progress.loss.value() == 0.5);
  BOOST_TEST(progress.samples_per_second.value() == 64.0);
  const auto tested =
      parseEvent(R"({"event":"evaluation","epoch":2,"step":8,"testAccuracy":0.75,"testLoss":1})");
  BOOST_TEST(std::get<Evaluation>(*tested).accuracy.value() == 0.75);
  const auto text = parseEvent(
      R"({"event":"evaluation","step":8,"validPerplexity":223.5,"testPerplexity":219.1})");
  BOOST_TEST(std::get<Evaluation>(*text).valid_perplexity.value() == 223.5);
  BOOST_TEST(std::get<Evaluation>(*text).test_perplexity.value() == 219.1);
  BOOST_TEST(std::get<CheckpointWritten>(*parseEvent(R"({"event":"checkpoint","step":4})")).step ==
             4);
  BOOST_TEST(std::get<Finished>(*parseEvent(R"({"event":"result"})")).json ==
             R"({"event":"result"})");
}

BOOST_AUTO_TEST_CASE(takes_a_loss_that_is_not_a_number_as_absent) {
  for (const char* line :
       {R"({"event":"progress","step":1,"loss":null})",
        R"({"event":"progress","step":1,"loss":"x"})", R"({"event":"progress","step":1})"}) {
    const auto event = parseEvent(line);
    BOOST_REQUIRE(event);
    BOOST_TEST(!std::get<Progress>(*event).loss.has_value());
  }
}

BOOST_AUTO_TEST_CASE(refuses_everything_else) {
  const std::string lines[] = {"",
                               "x",
                               "[]",
                               "{}",
                               R"({"event":1,"step":1})",
                               R"({"event":"other","step":1})",
                               R"({"event":"progress"})",
                               R"({"event":"progress","step":-1})",
                               R"({"event":"progress","step":1e300})",
                               R"({"event":"progress","step":"1"})",
                               std::string(65'537, ' ')};
  for (const std::string& line : lines) {
    BOOST_TEST(!parseEvent(line).has_value(), line.substr(0, 40));
  }
}

BOOST_AUTO_TEST_CASE(cuts_a_stream_into_lines_wherever_it_is_split) {
  const std::string stream = "one\n\ntwo\nrest";
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    LineReader reader(10);
    auto lines = reader.feed(stream.substr(0, cut));
    for (auto& line : reader.feed(stream.substr(cut)))
      lines.push_back(line);
    const std::vector<std::string> expected{"one", "", "two"};
    BOOST_TEST(lines == expected, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(drops_a_line_above_the_limit_and_goes_on_behind_it) {
  LineReader reader(3);

  BOOST_TEST(reader.feed("123").empty());
  BOOST_TEST(reader.feed("4567").empty());
  const auto lines = reader.feed("8\nabc\nabcd\nx\n");

  const std::vector<std::string> expected{"abc", "x"};
  BOOST_TEST(lines == expected, boost::test_tools::per_element());
  BOOST_TEST(reader.dropped() == 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli
