#include "base/core/exit_code.h"

#include <map>
#include <regex>
#include <string>

#include <boost/test/unit_test.hpp>

#include "base/core/file.h"

namespace sumac::exit_code_test {
namespace {

using Table = std::map<std::string, int>;

constexpr std::uint64_t kLimit = 1 << 20;

std::string sourceText(const std::string& path) {
  const auto text = readTextFile(std::string(SUMAC_SOURCE_FOLDER) + "/" + path, kLimit);
  BOOST_REQUIRE_MESSAGE(text, path << " cannot be read");
  return *text;
}

/// All matches of `pattern` in `text`, whose groups `name` and `number` are a row.
Table rows(const std::string& text, const std::string& pattern, std::size_t name,
           std::size_t number) {
  const std::regex row(pattern);
  Table table;
  for (auto it = std::sregex_iterator(text.begin(), text.end(), row); it != std::sregex_iterator();
       ++it) {
    const bool is_new = table.emplace((*it)[name].str(), std::stoi((*it)[number].str())).second;
    BOOST_TEST(is_new, (*it)[name].str() << " stands twice");
  }
  return table;
}

Table tableOfHeader() {
  return rows(sourceText("base/core/exit_code.h"), R"(\n  (k[A-Za-z]+) = ([0-9]+),)", 1, 2);
}

Table tableOfDocument() {
  return rows(sourceText("docs/exit-codes.md"), R"(\n\| ([0-9]+) \| `(k[A-Za-z]+)` \|)", 2, 1);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(exit_code)

BOOST_AUTO_TEST_CASE(stands_in_the_document_with_the_number_of_the_enum) {
  const Table header = tableOfHeader();
  const Table document = tableOfDocument();

  for (const auto& [name, number] : header) {
    BOOST_REQUIRE_MESSAGE(document.contains(name), name << " is missing in docs/exit-codes.md");
    BOOST_TEST(document.at(name) == number, name << " has another number there");
  }
  BOOST_TEST(header.size() == document.size(), "the document has codes that the enum lacks");
}

BOOST_AUTO_TEST_CASE(is_read_from_the_header_as_the_compiler_sees_it) {
  const Table header = tableOfHeader();

  const Table expected{{"kDone", toInt(ExitCode::kDone)},
                       {"kFailed", toInt(ExitCode::kFailed)},
                       {"kUsage", toInt(ExitCode::kUsage)},
                       {"kResourceFailed", toInt(ExitCode::kResourceFailed)},
                       {"kLostPeers", toInt(ExitCode::kLostPeers)},
                       {"kBadConfiguration", toInt(ExitCode::kBadConfiguration)},
                       {"kInterrupted", toInt(ExitCode::kInterrupted)},
                       {"kBrokenInvariant", toInt(ExitCode::kBrokenInvariant)},
                       {"kStopped", toInt(ExitCode::kStopped)}};
  BOOST_TEST((header == expected), "the header's text and its enum differ");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::exit_code_test
