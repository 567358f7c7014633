#include "base/report/drawing.h"

#include <set>

#include <boost/test/unit_test.hpp>

#include "base/report/colours.h"
#include "base/report/marks.h"

namespace sumac::report::drawing_test {

BOOST_AUTO_TEST_SUITE(drawing)

BOOST_AUTO_TEST_CASE(markup_in_texts_is_escaped) {
  BOOST_TEST(escaped("<a href=\"x\">'&'</a>") ==
             "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
  BOOST_TEST(element("line", {{"class", "\"><script>"}}) ==
             "<line class=\"&quot;&gt;&lt;script&gt;\"/>\n");
}

BOOST_AUTO_TEST_CASE(what_is_not_utf8_or_no_text_is_replaced) {
  using namespace std::string_literals;
  const std::string bad = "\xEF\xBF\xBD";
  BOOST_TEST(escaped("ä€😀") == "ä€😀");
  BOOST_TEST(escaped("a\nb\tc") == "a\nb\tc");
  BOOST_TEST(escaped("a\0b\x1b\x7f"s) == "a b  ");
  BOOST_TEST(escaped("a\xffz") == "a" + bad + "z");
  BOOST_TEST(escaped("\xe2\x82") == bad + bad);              // cut short
  BOOST_TEST(escaped("\xc0\xaf") == bad + bad);              // too long a form
  BOOST_TEST(escaped("\xed\xa0\x80") == bad + bad + bad);    // a surrogate
  BOOST_TEST(escaped("\xef\xbf\xbe") == bad + bad + bad);    // U+FFFE: XML has no such character
  BOOST_TEST(escaped("\xf4\x90\x80\x80").starts_with(bad));  // beyond Unicode
}

BOOST_AUTO_TEST_CASE(long_texts_are_broken_between_words_or_else_between_characters) {
  using Lines = std::vector<std::string>;
  BOOST_TEST((fittedLines("one two  three", 60) == Lines{"one two", "three"}));
  BOOST_TEST((fittedLines("äöüß", 22) == Lines{"äöü", "ß"}));
  BOOST_TEST((fittedLines("", 22) == Lines{""}));
  BOOST_TEST((fittedLines("ab", 1) == Lines{"a", "b"}));
  BOOST_TEST((fittedLines("wwii", 22) == Lines{"ww", "ii"}));
  BOOST_TEST(textWidth("äö") == textWidth("ab"));
}

BOOST_AUTO_TEST_CASE(a_title_of_several_lines_moves_its_content_down) {
  Drawing drawing{100, 50, "one two three four", "content"};
  addTitle(drawing);
  BOOST_TEST(drawing.height == 68);
  BOOST_TEST(drawing.content.ends_with("<g transform=\"translate(0,18)\">content</g>\n"));
}

BOOST_AUTO_TEST_CASE(coordinates_are_short) {
  BOOST_TEST(pixels(12.04) == "12");
  BOOST_TEST(pixels(-0.01) == "0");
  BOOST_TEST(pixels(1.26) == "1.3");
}

BOOST_AUTO_TEST_CASE(a_file_needs_nothing_else) {
  const Drawing drawing{10, 20, "a \"title\"", textAt(1, 2, Anchor::kEnd, "muted", "x")};
  const auto file = svgFile(drawing);

  BOOST_TEST(
      file.starts_with("<svg class=\"chart\" viewBox=\"0 0 10 20\" role=\"img\" "
                       "aria-label=\"a &quot;title&quot;\" xmlns="));
  BOOST_TEST(file.find("#1a52c2") != std::string::npos);
  BOOST_TEST(file.find("prefers-color-scheme:dark") != std::string::npos);
  BOOST_TEST(inlineSvg(drawing).find("<style>") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(series_differ_by_their_marks_without_any_colour) {
  const auto shape = [](std::size_t series) {
    auto text = mark(series, 0, 0, false);
    return text.substr(0, text.find(" class"));
  };
  std::set<std::string> shapes;
  for (std::size_t i = 0; i < kSeries; ++i)
    shapes.insert(shape(i));
  BOOST_TEST(shapes.size() == kSeries);
  BOOST_TEST(seriesClass(0) == seriesClass(kSeries));
  BOOST_TEST(shape(0) != shape(kSeries));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::report::drawing_test
