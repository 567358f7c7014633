#include "engine/data/csv.h"

#include <boost/test/unit_test.hpp>

namespace sumac::worker::csv_test {
namespace {

using Rows = std::vector<std::vector<std::string>>;

/// All rows; the message, as the only cell of the last, if there is one.
Rows rowsOf(std::string_view text) {
  CsvReader reader(text, "a.csv");
  Rows rows;
  while (true) {
    const auto found = reader.next();
    if (found && !*found) return rows;
    if (!found) {
      BOOST_TEST(found.error().code == ErrorCode::kInvalid);
      rows.push_back({found.error().message});
      return rows;
    }
    rows.emplace_back(reader.cells().begin(), reader.cells().end());
  }
}

std::string printed(const Rows& rows) {
  std::string text;
  for (const auto& row : rows) {
    for (const std::string& cell : row)
      text += "[" + cell + "]";
    text += "|";
  }
  return text;
}

struct Case {
  std::string_view text;
  std::string_view expected;
};

void check(std::initializer_list<Case> cases) {
  for (const auto& [text, expected] : cases)
    BOOST_TEST(printed(rowsOf(text)) == expected, text);
}

void checkMessages(std::initializer_list<Case> cases) {
  for (const auto& [text, expected] : cases) {
    const Rows rows = rowsOf(text);
    BOOST_REQUIRE(!rows.empty());
    BOOST_TEST((rows.back().front().find(expected) != std::string::npos),
               rows.back().front() << " has no " << expected);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(csv)

BOOST_AUTO_TEST_CASE(reads_rows_of_cells) {
  check({
      {"", ""},
      {"a", "[a]|"},
      {"a,b\n1,2", "[a][b]|[1][2]|"},
      {"a,b\n1,2\n", "[a][b]|[1][2]|"},
      {"a,b\r\n1,2\r\n", "[a][b]|[1][2]|"},
      {"a,,\n,", "[a][][]|[][]|"},
      {"\xEF\xBB\xBF"
       "a,b\n",
       "[a][b]|"},
      {"\xEF\xBB\xBF\"a\",b\n", "[a][b]|"},
  });
}

BOOST_AUTO_TEST_CASE(does_not_count_empty_lines_and_blanks_around_cells) {
  check({
      {"\n\r\n \t\na,b\n\n1,2\n\n \n", "[a][b]|[1][2]|"},
      {" a b ,\tc\t\n", "[a b][c]|"},
      {" \"a \" , b", "[a ][b]|"},
  });
}

BOOST_AUTO_TEST_CASE(reads_cells_in_quotes) {
  check({
      {R"("a,b",c)", "[a,b][c]|"},
      {"\"\",\"\"", "[][]|"},
      {"\"a\nb\r\nc\",d\n1,2", "[a\nb\r\nc][d]|[1][2]|"},
      {R"("""a"" and ""b""",c)", R"(["a" and "b"][c]|)"},
      {R"("""",x)", R"(["][x]|)"},
      {R"("""","""a")", R"(["]["a]|)"},
  });
}

BOOST_AUTO_TEST_CASE(says_where_a_cell_is) {
  CsvReader reader("\n\xC3\xA4\xC3\xB6,\"x\ny\",z,\"\"\"\"\n 7,8", "a.csv");
  BOOST_REQUIRE(reader.next());
  BOOST_TEST(reader.placeOf(0) == "a.csv:2:1");
  BOOST_TEST(reader.placeOf(1) == "a.csv:2:4");
  BOOST_TEST(reader.placeOf(2) == "a.csv:3:4");
  BOOST_TEST(reader.placeOf(3) == "a.csv:3:6");
  BOOST_TEST(reader.placeOf(4) == "a.csv:3:10");
  BOOST_REQUIRE(reader.next());
  BOOST_TEST(reader.placeOf(0) == "a.csv:4:2");
  BOOST_TEST(reader.placeOf(9) == "a.csv:4:5");
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_csv) {
  using namespace std::string_view_literals;
  checkMessages({
      {"a,\"b\n\nc", "a.csv:1:3: this quote is never closed; close it"},
      {"a\n\"b\" c", "a.csv:2:5: found text behind the quote that ends the cell"},
      {"a\n5\" disk", "a.csv:2:2: found a quote inside a cell without quotes; put"},
      {"a\rb", "a.csv:1:2: found a carriage return alone; end lines with LF"},
      {"a,b\n1,\0"sv, "a.csv:2:3: found a NUL byte"},
      {"a,b\n\"\n\0\""sv, "a.csv:3:1: found a NUL byte"},
      {"\xFF\xFE"
       "a\0"sv,
       "it is UTF-16; save it as UTF-8"},
      {"\x1F\x8B\x08", "gunzip"},
  });
}

BOOST_AUTO_TEST_CASE(bounds_cells_and_columns) {
  const std::string longest(kMaxCsvCell, 'x');
  check({{longest + ",b", "[" + longest + "][b]|"}, {"\"" + longest + "\"", "[" + longest + "]|"}});
  checkMessages({
      {"a\n1," + longest + "x", "a.csv:2:3: this cell has more than 64 KiB"},
      {"a\n\"" + longest + "x\"", "a.csv:2:1: this cell has more than 64 KiB"},
      {"a\n\"" + longest + longest + longest,
       "a.csv:2:1: this cell has more than 64 KiB; is its quote"},
  });
  const std::string commas(kMaxCsvColumns - 1, ',');
  BOOST_TEST(rowsOf(commas).front().size() == kMaxCsvColumns);
  checkMessages({{commas + ",", "this line has more than 65,536 cells"}});
}

BOOST_AUTO_TEST_CASE(shows_cells_without_what_controls_terminals) {
  BOOST_TEST(shownCell("a b") == "'a b'");
  BOOST_TEST(shownCell("\x1B[2J\n\x7F") == "'?[2J?\?'");
  BOOST_TEST(shownCell("\xC3\xA4") == "'\xC3\xA4'");
  BOOST_TEST(shownCell("\xC2\x9B"
                       "2J") == "'?2J'");
  BOOST_TEST(shownCell("\xE4"
                       "b") == "'?b'");
  BOOST_TEST(shownCell(std::string(50, 'a')) == "'" + std::string(40, 'a') + "...'");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::csv_test
