#include "base/process/help_format.h"

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace sumac::help_format_test {
namespace {

struct Fixture {
  Fixture() { app.formatter(std::make_shared<HelpFormat>()); }

  /// Whether the help says `wanted`, whatever the space between its words.
  bool has(const std::string& wanted) const {
    const std::string help = app.help();
    std::string squeezed;
    for (const char c : help) {
      const bool is_space = c == ' ' || c == '\n';
      if (!is_space || !squeezed.ends_with(' ')) squeezed += is_space ? ' ' : c;
    }
    return squeezed.find(wanted) != std::string::npos;
  }

  CLI::App app{"", "sumac"};
  std::string text;
  std::vector<std::string> texts;
  int number = 7;
  bool again = false;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(help_format, Fixture)

BOOST_AUTO_TEST_CASE(says_the_type_once) {
  app.add_option("--folder", text, "Where")->type_name("DIR")->check(CLI::ExistingDirectory);
  app.add_option("--steps", text, "Which")->type_name("FROM:TO");
  app.add_option("--count", number, "How many");

  BOOST_TEST(has("--folder DIR Where "), app.help());
  BOOST_TEST(has("--steps FROM:TO Which "), app.help());
  BOOST_TEST(has("--count N How many "), app.help());
}

BOOST_AUTO_TEST_CASE(says_choices_ranges_and_defaults_in_words) {
  app.add_option("--form", text, "How")->check(CLI::IsMember({"table", "json"}));
  app.add_option("--count", number, "How many")->check(CLI::Range(1, 64))->capture_default_str();
  app.add_option("SHELL", text, "For whom")
      ->type_name("")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}));

  const bool has_choices = has("--form json|table How ") || has("--form table|json How ");
  BOOST_TEST(has_choices, app.help());
  BOOST_TEST(has("--count N (1 to 64) [7] How many "), app.help());
  BOOST_TEST(has(" (required) For whom "), app.help());
}

BOOST_AUTO_TEST_CASE(leaves_no_note_of_the_parser) {
  double factor = 1;
  app.add_option("--factor", factor, "How often")->type_name("F")->check(CLI::Range(1.0, 1e6));
  app.add_option("--seed", number, "Seed")->type_name("N")->check(CLI::NonNegativeNumber);

  BOOST_TEST(has("--factor F (1 to 1000000) How often "), app.help());
  BOOST_TEST(has("--seed N Seed "), app.help());
}

BOOST_AUTO_TEST_CASE(has_lines_of_100_columns_and_one_empty_line_between_groups) {
  std::string words = "A";
  for (int i = 0; i < 60; ++i)
    words += i % 7 == 0 ? "\nword" : " word";
  app.add_option("--long", text, words)->group("One");
  app.add_option("--word", text, std::string(90, 'x') + " y")->group("Another");

  std::istringstream lines(app.help());
  int full = 0;
  for (std::string line; std::getline(lines, line);) {
    BOOST_TEST((line.size() <= 100 || line.ends_with("xxx")), line);
    full += line.size() > 95 ? 1 : 0;
  }
  BOOST_TEST(full == 5);  // four of words, and the long one
  BOOST_TEST(app.help().find("\n\n\n") == std::string::npos, app.help());
}

BOOST_AUTO_TEST_CASE(says_what_goes_together_in_words) {
  auto* const output = app.add_option("--output", text, "Here")->type_name("DIR");
  auto* const hidden = app.add_option("--old", text)->group("");
  auto* const resume = app.add_option("--resume", text, "There")->type_name("DIR");
  resume->excludes(output)->excludes(hidden);
  app.add_flag("--again", again, "Again")->needs(resume);
  app.add_option("--level", text, "Level")->type_name("NAME")->envname("SUMAC_LEVEL");

  BOOST_TEST(has("--resume DIR (not with --output) There "), app.help());
  BOOST_TEST(has("--again (only with --resume) Again "), app.help());
  BOOST_TEST(has("--level NAME ($SUMAC_LEVEL) Level "), app.help());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::help_format_test
