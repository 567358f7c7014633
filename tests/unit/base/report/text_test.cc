#include "base/report/text.h"

#include <algorithm>

#include <boost/test/unit_test.hpp>

#include "base/report/html.h"
#include "base/report/report.h"
#include "tests/support/golden.h"

namespace sumac::report::text_test {
namespace {

const std::string kLongName(63, 'n');

Table ways() {
  return {.caption = "Best ways",
          .columns = {{"workers", "Workers", "", ColumnKind::kNumber},
                      {"exchange", "Exchange"},
                      {"step.seconds", "Time", "s", ColumnKind::kNumber},
                      {"bytes", "", "", ColumnKind::kNumber},
                      {"", "Because", "", ColumnKind::kSentence}},
          .rows = {{{.value = 8}, {"servers"}, {"0.512", 0.5123, "± 3 %"}, {.value = 1}, {}},
                   {{.value = 16},
                    {kLongName, {}, "", "as written"},
                    {"1.5", 1.5},
                    {.value = 2},
                    {"it needs more memory than a machine of this type has"}}},
          .noun = "way"};
}

Report report() {
  return {{"Kind", "Title", "", {}, {"Incomplete: stopped"}},
          {{"", Audience::kAll, {Paragraph{"Recommended: 8 workers, which takes 12 min ± 3 %."}}},
           {"Ways", Audience::kAll, {ways(), List{{"First\tof two.", "Second."}}}},
           {"Sources", Audience::kWide, {Definitions{{{"link", "measured on this machine"}}}}},
           {"Pictures", Audience::kPage, {Paragraph{"Only pages."}, Pictures{}}},
           {"Empty", Audience::kAll, {Paragraph{}, List{}, Pictures{}}},
           {"", Audience::kTerminal, {Paragraph{"Only terminals."}}}}};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(text)

BOOST_AUTO_TEST_CASE(a_page_leaves_out_what_terminals_alone_say_and_what_is_empty) {
  const std::string page = toPage(report());
  BOOST_TEST(page.find("Only pages") != page.npos);
  BOOST_TEST(page.find("Only terminals") == page.npos);
  BOOST_TEST(page.find("Empty") == page.npos);
}

BOOST_AUTO_TEST_CASE(a_report_in_terminals_of_all_widths) {
  test::Transcript shown;
  for (const int columns : {0, 120, 80, 40, 20}) {
    const std::string text = toText(report(), {columns, /*is_wide=*/true});
    if (columns > 0) BOOST_TEST(widest(text) <= columns);
    shown.add(std::to_string(columns) + " columns", text);
  }
  shown.add("not wide, without UTF-8", toText(report(), {80, false, /*has_utf8=*/false}));
  test::checkGolden("base/report/text.txt", shown.text());
}

BOOST_AUTO_TEST_CASE(no_line_is_longer_than_the_terminal) {
  for (int columns = 1; columns < 130; ++columns)
    BOOST_TEST(widest(toText(report(), {columns, true})) <= std::max(columns, 2));
}

BOOST_AUTO_TEST_CASE(nothing_of_a_word_is_lost_where_it_is_broken) {
  std::string again = wrapped(kLongName, 20, 2);
  std::erase_if(again, [](char c) { return c == '\\' || c == '\n' || c == ' '; });
  BOOST_TEST(again == kLongName);
  BOOST_TEST(wrapped("a bc", 3) == "a\nbc");
  BOOST_TEST(wrapped("", 3).empty());
  BOOST_TEST(wrapped("a  b", 80) == "a  b");
}

BOOST_AUTO_TEST_CASE(a_long_table_says_how_much_it_leaves_out) {
  Table table = ways();
  table.rows.resize(10'000, table.rows.front());
  table.most_rows = 2;
  BOOST_TEST(toText(table, {}).ends_with("\n... and 9,998 more ways\n"));
}

BOOST_AUTO_TEST_CASE(a_table_without_rows_has_its_header) {
  const Table table{.columns = {{"", "One"}, {"", "Two"}}};
  BOOST_TEST(toText(table, {}) == "ONE   TWO\n");
  BOOST_TEST(toText(table, {.columns = 8}) == "ONE  TWO\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::report::text_test
