#include "cli/completion/unknown_word.h"

#include <algorithm>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace sumac::cli::unknown_word_test {
namespace {

struct Fixture {
  Fixture() {
    app.require_subcommand(1);
    app.add_flag("--version", flag);
    auto* const run = app.add_subcommand("run", "");
    run->add_option("FILE", text)->required();
    run->add_option("--workers", number);
    run->add_option("--set", text);
    run->add_option("--old-name", number)->group("");
    auto* const models = app.add_subcommand("models", "");
    models->add_subcommand("show", "");
  }

  /// What is unknown in a line that cannot be parsed.
  std::string in(std::vector<std::string> words) {
    const std::vector<std::string> line = words;
    std::reverse(words.begin(), words.end());
    BOOST_CHECK_THROW(app.parse(words), CLI::ParseError);
    return unknownWord(app, line);
  }

  CLI::App app{"", "sumac"};
  bool flag = false;
  int number = 0;
  std::string text;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(unknown_word, Fixture)

BOOST_AUTO_TEST_CASE(names_a_command_and_the_nearest_one) {
  BOOST_TEST(in({"rnu", "job.yaml"}) == "unknown command `rnu`; did you mean `run`?");
  BOOST_TEST(in({"RUN"}) == "unknown command `RUN`; did you mean `run`?");
  BOOST_TEST(in({"something"}) == "unknown command `something`");
  BOOST_TEST(in({"models", "shwo"}) == "unknown command `shwo`; did you mean `show`?");
}

BOOST_AUTO_TEST_CASE(names_an_option_and_the_nearest_one) {
  BOOST_TEST(in({"--foo"}) == "unknown option `--foo`");
  BOOST_TEST(in({"-v"}) == "unknown option `-v`");
  BOOST_TEST(in({"run", "job.yaml", "--worker=2"}) ==
             "unknown option `--worker`; did you mean `--workers`?");
  BOOST_TEST(in({"run", "job.yaml", "--old-nam", "2"}) == "unknown option `--old-nam`");
}

BOOST_AUTO_TEST_CASE(says_how_to_set_a_field_of_the_job) {
  BOOST_TEST(in({"run", "job.yaml", "--epochs", "3"}) ==
             "unknown option `--epochs`: write --set training.epochs=3");
  BOOST_TEST(in({"run", "job.yaml", "--batch-size=3"}) ==
             "unknown option `--batch-size`: write --set training.batchSize=3");
  BOOST_TEST(in({"run", "job.yaml", "--learning-rate"}) ==
             "unknown option `--learning-rate`: write --set "
             "training.optimizer.learningRate=VALUE");
  BOOST_TEST(in({"run", "job.yaml", "--every-steps", "9"}) ==
             "unknown option `--every-steps`: write --set checkpoint.everySteps=9");
  BOOST_TEST(in({"models", "--epochs", "3"}) == "unknown option `--epochs`");
}

BOOST_AUTO_TEST_CASE(names_a_command_whose_help_was_asked_for) {
  BOOST_TEST(in({"trace", "--help"}) == "unknown command `trace`");
  BOOST_TEST(in({"models", "shwo", "--help"}) == "unknown command `shwo`; did you mean `show`?");
  BOOST_TEST(in({"models", "--help"}) == "");
}

BOOST_AUTO_TEST_CASE(names_an_argument_of_a_command_without_commands) {
  BOOST_TEST(in({"run", "job.yaml", "2"}) == "unexpected argument `2`");
}

BOOST_AUTO_TEST_CASE(is_empty_for_other_errors) {
  BOOST_TEST(in({}) == "");
  BOOST_TEST(in({"run"}) == "");
  BOOST_TEST(in({"run", "job.yaml", "--workers", "many"}) == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::unknown_word_test
