#include "cli/completion/unknown_word.h"

#include <algorithm>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"

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

BOOST_AUTO_TEST_CASE(is_named_with_the_nearest_one_or_with_what_to_write) {
  const std::vector<std::string> lines[] = {{"rnu", "job.yaml"},
                                            {"RUN"},
                                            {"something"},
                                            {"models", "shwo"},
                                            {"--foo"},
                                            {"-v"},
                                            {"run", "job.yaml", "--worker=2"},
                                            {"run", "job.yaml", "--old-nam", "2"},
                                            {"run", "job.yaml", "--epochs", "3"},
                                            {"run", "job.yaml", "--batch-size=3"},
                                            {"run", "job.yaml", "--learning-rate"},
                                            {"run", "job.yaml", "--every-steps", "9"},
                                            {"models", "--epochs", "3"},
                                            {"trace", "--help"},
                                            {"models", "shwo", "--help"},
                                            {"run", "job.yaml", "2"}};
  test::Transcript said;
  for (const auto& line : lines) {
    std::string typed = "sumac";
    for (const std::string& word : line)
      typed += " " + word;
    said.add(typed, in(line));
  }
  test::checkGolden("cli/completion/unknown_words.txt", said.text());
}

BOOST_AUTO_TEST_CASE(is_empty_for_other_errors) {
  BOOST_TEST(in({}) == "");
  BOOST_TEST(in({"models", "--help"}) == "");
  BOOST_TEST(in({"run"}) == "");
  BOOST_TEST(in({"run", "job.yaml", "--workers", "many"}) == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::unknown_word_test
