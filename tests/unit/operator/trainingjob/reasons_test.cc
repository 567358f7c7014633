#include "kube/api/reasons.h"

#include <regex>
#include <set>
#include <string>

#include <boost/test/unit_test.hpp>

#include "base/core/file.h"

namespace sumac::trainingjob::reasons_test {
namespace {

std::string read(const std::string& path) {
  auto text = readTextFile(SUMAC_SOURCE_FOLDER + path, 1 << 20);
  BOOST_REQUIRE(text.has_value());
  return *text;
}

std::set<std::string> wordsIn(const std::string& text, const std::string& pattern) {
  const std::regex word(pattern);
  std::set<std::string> words;
  for (std::sregex_iterator match(text.begin(), text.end(), word), end; match != end; ++match)
    words.insert((*match)[1]);
  return words;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(reasons_of_conditions_and_events)

BOOST_AUTO_TEST_CASE(stand_in_the_manual_and_the_manual_has_no_others) {
  const auto known = wordsIn(read("/kube/api/reasons.h"), "= \"([A-Za-z]+)\";");
  const std::string manual = read("/docs/operator.md");
  const auto begin = manual.find("\n## Reasons");
  const auto end = manual.find("\n## ", begin + 1);
  BOOST_REQUIRE(end != std::string::npos);
  const auto explained = wordsIn(manual.substr(begin, end - begin), "\n\\| `([A-Z][A-Za-z]+)` \\|");
  BOOST_TEST(!known.empty());
  for (const std::string& word : known)
    BOOST_TEST(explained.count(word) == 1, "docs/operator.md does not explain " << word);
  for (const std::string& word : explained)
    BOOST_TEST(known.count(word) == 1, "reasons.h does not know " << word);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::trainingjob::reasons_test
