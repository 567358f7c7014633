#include "cli/cluster/log_lines.h"

#include <vector>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace sumac::cli::log_lines_test {

namespace {

struct Cut {
  std::vector<std::string> lines;
  LineCutter cutter;
  LineCutter::OnLine keep = [this](std::string_view line) { lines.emplace_back(line); };
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(line_cutter, Cut)

BOOST_AUTO_TEST_CASE(joins_what_was_split_and_splits_what_was_joined) {
  const std::string text = "one\n\ntwo\nthree";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    lines.clear();
    for (std::size_t from = 0; from < text.size(); from += size)
      cutter.add(text.substr(from, size), keep);
    cutter.end(keep);
    const std::vector<std::string> expected = {"one", "", "two", "three"};
    BOOST_TEST(lines == expected, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(keeps_a_last_line_without_a_newline_until_the_end) {
  cutter.add("half", keep);
  BOOST_TEST(lines.empty());

  cutter.end(keep);
  cutter.end(keep);

  BOOST_TEST(lines.size() == 1U);
}

BOOST_AUTO_TEST_CASE(never_holds_more_than_a_mebibyte_and_a_piece) {
  const std::string piece(700'000, 'x');
  cutter.add(piece, keep);
  cutter.add(piece, keep);

  BOOST_TEST(lines.size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(log_cursor)

BOOST_AUTO_TEST_CASE(takes_the_time_off_and_remembers_it) {
  LogCursor cursor;

  BOOST_TEST(cursor.take("2026-01-31T12:00:00.5Z step 1").value_or("none") == "step 1");
  BOOST_TEST(cursor.since() == "2026-01-31T12:00:00.5Z");
  BOOST_TEST(cursor.take("2026-01-31T12:00:00.5000001Z ").value_or("none") == "");
  BOOST_TEST(cursor.take("2026-01-31T12:00:01Z").value_or("none") == "");
}

BOOST_AUTO_TEST_CASE(leaves_out_what_comes_again_after_a_lost_connection) {
  LogCursor cursor;
  cursor.take("2026-01-31T12:00:00.1Z one");
  cursor.take("2026-01-31T12:00:00.25Z two");

  BOOST_TEST(!cursor.take("2026-01-31T12:00:00.1Z one").has_value());
  BOOST_TEST(!cursor.take("2026-01-31T12:00:00.250Z two").has_value());
  BOOST_TEST(cursor.take("2026-01-31T12:00:00.3Z three").value_or("none") == "three");
}

BOOST_AUTO_TEST_CASE(understands_offsets) {
  LogCursor cursor;
  cursor.take("2026-01-31T13:00:00.1+01:00 one");

  BOOST_TEST(!cursor.take("2026-01-31T13:00:00.1+01:00 one").has_value());
  BOOST_TEST(cursor.take("2026-01-31T13:00:00.2+01:00 two").value_or("none") == "two");
}

BOOST_DATA_TEST_CASE(shows_lines_without_a_time_as_they_are,
                     boost::unit_test::data::make({"", "text", "unable to retrieve container logs",
                                                   "2026-01-31T12:00:00.",
                                                   "2026-01-31T12:00:00.x y",
                                                   "2026-01-31 12:00:00.000 x"}),
                     line) {
  LogCursor cursor;
  cursor.take("2026-01-31T12:00:00.1Z one");

  BOOST_TEST(cursor.take(line).value_or("none") == line);
  BOOST_TEST(cursor.since() == "2026-01-31T12:00:00.1Z");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(readable_line)

BOOST_AUTO_TEST_CASE(shows_json_lines_of_members_as_text) {
  const std::string json =
      R"({"time":"2026-01-31T12:00:00.123Z","severity":"WARNING","message":"slow","step":420})";
  const std::string text = R"(2026-01-31T12:00:00.123Z warn "slow" step=420)";

  BOOST_TEST(readableLine(json, /*has_time=*/false) == text);
  BOOST_TEST(readableLine("2026-01-31T12:00:00.2Z " + json, /*has_time=*/true) ==
             "2026-01-31T12:00:00.2Z " + text);
}

BOOST_AUTO_TEST_CASE(shows_all_else_as_it_is) {
  BOOST_TEST(readableLine("a {} b", /*has_time=*/false) == "a {} b");
  BOOST_TEST(readableLine("{\"loss\":1}", /*has_time=*/false) == "{\"loss\":1}");
  BOOST_TEST(readableLine("no-space", /*has_time=*/true) == "no-space");
  BOOST_TEST(readableLine("", /*has_time=*/false) == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::log_lines_test
