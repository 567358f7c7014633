#include "base/report/html.h"

#include <boost/test/unit_test.hpp>

#include "base/report/report.h"

namespace sumac::report::html_test {
namespace {

std::string pageOf(Block block) {
  return toPage(
      {{"Kind", "Title", "Question?", {}, {}}, {{.heading = "", .blocks = {std::move(block)}}}});
}

bool holds(const std::string& page, const std::string& part) {
  return page.find(part) != page.npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(html)

BOOST_AUTO_TEST_CASE(a_table_scrolls_in_its_own_box) {
  const std::string page =
      pageOf(Table{.caption = "A <caption>",
                   .columns = {{"name", "Name"}, {"speed", "Speed", "", ColumnKind::kNumber}},
                   .rows = {{{.text = "a&b", .mark = "emulated"}, {"12", 12, "± 3 %"}}}});
  BOOST_TEST(
      holds(page,
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
            "aria-label=\"A &lt;caption&gt;\">\n<table>\n"
            "<caption>A &lt;caption&gt;</caption>\n"
            "<thead><tr><th scope=\"col\">Name</th><th scope=\"col\" class=\"number\">Speed</th>"
            "</tr></thead>\n<tbody>\n"
            "<tr><td>a&amp;b <span class=\"badge\">emulated</span></td>"
            "<td class=\"number\">12 <span class=\"aside\">± 3 %</span></td></tr>\n"
            "</tbody>\n</table>\n</div>\n"));
}

BOOST_AUTO_TEST_CASE(where_a_figure_comes_from_is_a_word_in_a_frame_of_its_own) {
  const auto html = [](const std::string& origin) {
    return pageOf(Table{.columns = {{"", "Figure"}}, .rows = {{{.text = "12", .origin = origin}}}});
  };
  BOOST_TEST(holds(html("measured"), "12 <span class=\"origin measured\">measured</span>"));
  BOOST_TEST(holds(html("published"), "<span class=\"origin published\">published</span>"));
  BOOST_TEST(holds(html("a\"b"), "<span class=\"origin stated\">a&quot;b</span>"));
}

BOOST_AUTO_TEST_CASE(no_text_becomes_markup) {
  const std::string bad = "<script>alert('\"')</script>";
  const std::string page =
      toPage({{bad, bad, bad, {bad}, {bad}},
              {{.heading = bad,
                .blocks = {Paragraph{bad}, Preformatted{bad}, Definitions{{{bad, bad}}},
                           Findings{{bad}, bad}, Pictures{{{1, 1, bad, ""}}}},
                .fold = bad}}});
  BOOST_TEST(!holds(page, "<script"));
  BOOST_TEST(holds(page, "&lt;script&gt;alert(&#39;&quot;&#39;)&lt;/script&gt;"));
}

BOOST_AUTO_TEST_CASE(a_page_asks_for_nothing) {
  const std::string page = pageOf(Paragraph{});
  for (const char* const word : {"http:", "https:", "src=", "url(", "@import", "<script"})
    BOOST_TEST(!holds(page, word), word);
  BOOST_TEST(holds(page, "default-src 'none'"));
  BOOST_TEST(holds(page, "<title>Title - Kind</title>"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::report::html_test
