#include "base/process/help_format.h"

#include <memory>
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
