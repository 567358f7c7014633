#include "engine/data/csv.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"

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

BOOST_AUTO_TEST_CASE(bounds_cells_and_columns) {
  const std::string longest(kMaxCsvCell, 'x');
  check({{longest + ",b", "[" + longest + "][b]|"}, {"\"" + longest + "\"", "[" + longest + "]|"}});
  BOOST_TEST(rowsOf(std::string(kMaxCsvColumns - 1, ',')).front().size() == kMaxCsvColumns);
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_csv_and_says_where) {
  using namespace std::string_literals;
  const std::string longest(kMaxCsvCell, 'x');
  const std::tuple<const char*, std::string, const char*> kCases[] = {
      {"an open quote", "a,\"b\n\nc", "a.csv:1:3: "},
      {"text behind a quote", "a\n\"b\" c", "a.csv:2:5: "},
      {"a quote within", "a\n5\" disk", "a.csv:2:2: "},
      {"a carriage return", "a\rb", "a.csv:1:2: "},
      {"a byte of zero", "a,b\n1,\0"s, "a.csv:2:3: "},
      {"a byte of zero in quotes", "a,b\n\"\n\0\""s, "a.csv:3:1: "},
      {"UTF-16", "\xFF\xFE"s + "a\0"s, "a.csv"},
      {"gzip", "\x1F\x8B\x08", "a.csv"},
      {"a long cell", "a\n1," + longest + "x", "a.csv:2:3: "},
      {"a long cell in quotes", "a\n\"" + longest + "x\"", "a.csv:2:1: "},
      {"a long cell in an open quote", "a\n\"" + longest + longest + longest, "a.csv:2:1: "},
      {"many columns", std::string(kMaxCsvColumns, ','), "a.csv:1:"}};
  test::Transcript said;
  for (const auto& [name, text, place] : kCases) {
    const std::string message = rowsOf(text).back().front();
    BOOST_TEST((message.find(place) != std::string::npos), message);
    said.add(name, message);
  }
  test::checkGolden("engine/data/csv.txt", said.text());
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
