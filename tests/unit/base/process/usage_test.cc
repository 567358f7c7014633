#include "base/process/usage.h"

#include <sstream>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"

namespace sumac::usage_test {
namespace {

/// What a program says of its arguments, and how it ends; nothing where it goes on.
std::optional<ExitCode> parse(std::vector<const char*> words, std::ostream& said) {
  CLI::App app("", "program");
  std::string text;
  int number = 0;
  double rate = 0;
  bool flag = false;
  app.set_version_flag("--version", "program 1");
  app.require_subcommand(1);
  auto* const run = app.add_subcommand("run", "Run it");
  app.add_subcommand("stop", "Stop it");
  run->add_option("FILE", text)->required();
  run->add_option("--in", text)->type_name("FILE")->check(CLI::ExistingFile);
  run->add_option("--into", text)->type_name("DIR")->check(CLI::ExistingDirectory);
  auto* const count = run->add_option("--count", number)->check(CLI::Range(1, 64));
  run->add_option("--rate", rate)->check(CLI::Range(0.5, 100.0));
  run->add_option("--form", text)->check(CLI::IsMember(std::vector<std::string>{"csv", "json"}));
  auto* const plain = run->add_option("--plain", number);
  run->add_flag("--again", flag)->needs(count)->excludes(plain);
  run->add_option("--own", text)->check([](const std::string&) { return "no, never"; });
  words.insert(words.begin(), "program");
  return parseOrEnd(app, static_cast<int>(words.size()), words.data(), said, said);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(usage)

BOOST_AUTO_TEST_CASE(mistakes_are_told_in_our_words) {
  const std::vector<const char*> lines[] = {{},
                                            {"walk"},
                                            {"walk", "--help"},
                                            {"--frob"},
                                            {"run"},
                                            {"run", "--frob", "1"},
                                            {"run", "a", "b"},
                                            {"run", "a", "--frob=1"},
                                            {"run", "a", "--in"},
                                            {"run", "a", "--in", "/no/file"},
                                            {"run", "a", "--in", "/"},
                                            {"run", "a", "--into", "/no/folder"},
                                            {"run", "a", "--into", "/dev/null"},
                                            {"run", "a", "--count"},
                                            {"run", "a", "--count", "x"},
                                            {"run", "a", "--count", "65"},
                                            {"run", "a", "--rate", "0"},
                                            {"run", "a", "--count", "1", "--count", "2"},
                                            {"run", "a", "--form", "xml"},
                                            {"run", "a", "--plain", "x"},
                                            {"run", "a", "--again"},
                                            {"run", "a", "--again", "--count=1", "--plain=1"},
                                            {"run", "a", "--own", "x"}};
  test::Transcript said;
  for (const auto& words : lines) {
    std::string line = "program";
    for (const char* const word : words)
      line += std::string(" ") + word;
    std::ostringstream text;
    BOOST_TEST((parse(words, text) == ExitCode::kUsage), line);
    said.add(line, text.str());
  }
  test::checkGolden("base/process/usage.txt", said.text());
}

BOOST_AUTO_TEST_CASE(help_and_version_are_no_mistakes) {
  std::ostringstream said;
  BOOST_TEST((parse({"run", "--help"}, said) == ExitCode::kDone));
  BOOST_TEST((parse({"--version"}, said) == ExitCode::kDone));
  BOOST_TEST(said.str().ends_with("program 1\n"));
  BOOST_TEST(!parse({"run", "a"}, said).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::usage_test
