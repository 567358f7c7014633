#include "base/process/help_format.h"

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"

namespace sumac::help_format_test {
namespace {

struct Fixture {
  Fixture() { app.formatter(std::make_shared<HelpFormat>()); }

  CLI::App app{"", "sumac"};
  std::string text;
  int number = 7;
  double factor = 1;
  bool again = false;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(help_format, Fixture)

BOOST_AUTO_TEST_CASE(has_types_ranges_choices_and_what_goes_together_in_words) {
  app.add_option("SHELL", text, "For whom")
      ->type_name("")
      ->required()
      ->check(CLI::IsMember(std::vector<std::string>{"bash", "zsh"}));
  app.add_option("--folder", text, "Where")->type_name("DIR")->check(CLI::ExistingDirectory);
  app.add_option("--steps", text, "Which")->type_name("FROM:TO");
  app.add_option("--plain", number, "How many");
  app.add_option("--count", number, "How many")->check(CLI::Range(1, 64))->capture_default_str();
  app.add_option("--form", text, "How")
      ->check(CLI::IsMember(std::vector<std::string>{"json", "table"}));
  app.add_option("--factor", factor, "How often")->type_name("F")->check(CLI::Range(1.0, 1e6));
  app.add_option("--seed", number, "Seed")->type_name("N")->check(CLI::NonNegativeNumber);
  auto* const output = app.add_option("--output", text, "Here")->type_name("DIR");
  auto* const hidden = app.add_option("--old", text)->group("");
  auto* const resume = app.add_option("--resume", text, "There")->type_name("DIR");
  resume->excludes(output)->excludes(hidden);
  app.add_flag("--again", again, "Again")->needs(resume);
  app.add_option("--level", text, "Level")->type_name("NAME")->envname("SUMAC_LEVEL");
  test::checkGolden("base/process/help.txt", app.help());
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

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::help_format_test
