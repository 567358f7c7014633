#include <functional>
#include <iostream>
#include <string>

#include <CLI/CLI.hpp>
#include <boost/test/unit_test.hpp>

#include "cli/commands.h"
#include "tests/unit/cli/plan/planned.h"

namespace sumac::cli {
namespace {

/// Command lines of `sumac plan` as the program reads them.
class CommandLines : public PlanCalls {
 public:
  CommandLines() {
    write("job.yaml", std::string(kPlannedJob));
    whole_ = "plan " + word("job.yaml") + " --profile " + word("profile.json");
  }

  std::string word(std::string_view name) const { return "'" + file(name).string() + "'"; }

  /// What is printed by the command line with these options.
  std::string run(const std::string& more) const { return runWhole(whole_ + " " + more); }

  /// The same of all words after the program's name.
  static std::string runWhole(const std::string& words) {
    std::function<int()> command;
    CLI::App app("", "sumac");
    addPlan(app, command);
    app.parse(words);
    std::ostringstream out;
    auto* const before = std::cout.rdbuf(out.rdbuf());
    const int code = command();
    std::cout.rdbuf(before);
    BOOST_TEST(code == 0);
    return out.str();
  }

  /// What is wrong with these options.
  std::string refusal(const std::string& more) const {
    std::function<int()> command;
    CLI::App app("", "sumac");
    addPlan(app, command);
    try {
      app.parse(whole_ + " " + more);
    } catch (const CLI::ParseError& error) {
      return error.what();
    }
    return {};
  }

 private:
  std::string whole_;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(plan_command_line, CommandLines)

BOOST_AUTO_TEST_CASE(the_pages_command_gives_the_same_plan_again) {
  // Amounts that have no short form in other units.
  const std::string first =
      run("--max-workers 4 --goal efficiency --deadline 0.3333333333h --link 123.456789Mbit "
          "--memory 1.7G --noise-scale 1e3 --set training.epochs=12 --page " +
          word("a page.html"));
  const auto page = readTextFile(file("a page.html"), 4UL << 20);
  BOOST_TEST_REQUIRE(page.has_value());
  const auto begin = page->find("sumac plan ");
  std::string command = page->substr(begin, page->find('<', begin) - begin);
  constexpr std::string_view kQuote = "&#39;";
  for (auto at = command.find(kQuote); at != command.npos; at = command.find(kQuote))
    command.replace(at, kQuote.size(), "'");
  BOOST_TEST(has(command, "--link 123.456789Mbit"), command);

  const std::string again = runWhole(command.substr(command.find("plan ")));

  BOOST_TEST(again == first);
  BOOST_TEST((readTextFile(file("a page.html"), 4UL << 20).value() == *page));
}

BOOST_AUTO_TEST_CASE(amounts_beyond_what_machines_have_are_refused) {
  BOOST_TEST(refusal("--memory 99999999999Ti") ==
             "--memory: found 99999999999Ti, must be >= 16Mi, <= 64Ti");
  BOOST_TEST(refusal("--link 5000Tbit") == "--link: found 5000Tbit, must be >= 1Mbit, <= 100Tbit");
  BOOST_TEST(refusal("--deadline 0s") == "--deadline: found 0s, must be >= 1us, <= 36500d");
  BOOST_TEST(has(refusal("--link fast"), "such as 100Mbit or 10Gbit"));
  BOOST_TEST(has(refusal("--budget 12"), "such as 12.50USD"));
  BOOST_TEST(has(refusal("--noise-scale -1"), "must be a number of samples > 0"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli
