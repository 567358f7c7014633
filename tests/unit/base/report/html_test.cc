#include "base/report/html.h"

#include <boost/test/unit_test.hpp>

namespace sumac::report::html_test {

BOOST_AUTO_TEST_SUITE(html)

BOOST_AUTO_TEST_CASE(a_table_scrolls_in_its_own_box) {
  const Table table{.key = "t",
                    .caption = "A <caption>",
                    .columns = {{"name", "Name"}, {"speed", "Speed", "", ColumnKind::kNumber}},
                    .rows = {{{.text = "a&b", .mark = "emulated"}, {"12", 12, "± 3 %"}}}};
  BOOST_TEST(toHtml(table) ==
             "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
             "aria-label=\"A &lt;caption&gt;\">\n<table>\n"
             "<caption>A &lt;caption&gt;</caption>\n"
             "<thead><tr><th scope=\"col\">Name</th><th scope=\"col\" class=\"number\">Speed</th>"
             "</tr></thead>\n<tbody>\n"
             "<tr><td>a&amp;b <span class=\"badge\">emulated</span></td>"
             "<td class=\"number\">12 <span class=\"aside\">± 3 %</span></td></tr>\n"
             "</tbody>\n</table>\n</div>\n");
}

BOOST_AUTO_TEST_CASE(where_a_figure_comes_from_is_a_word_in_a_frame_of_its_own) {
  const auto html = [](const std::string& origin) {
    return toHtml(Table{"", "t", {{"", "Figure"}}, {{{.text = "12", .origin = origin}}}});
  };
  BOOST_TEST(html("measured").find("12 <span class=\"origin measured\">measured</span>") !=
             std::string::npos);
  BOOST_TEST(html("published").find("<span class=\"origin published\">published</span>") !=
             std::string::npos);
  BOOST_TEST(html("a\"b").find("<span class=\"origin stated\">a&quot;b</span>") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(no_text_becomes_markup) {
  const std::string bad = "<script>alert('\"')</script>";
  const std::string page =
      htmlPage({bad, bad, bad, {bad}, {bad}},
               section(bad, paragraph(bad) + preformatted(bad) + definitionList({{bad, bad}}) +
                                keyFindings({bad}, bad) + folded(bad, paragraph(bad)) +
                                pictures({{1, 1, bad, ""}})));
  BOOST_TEST(page.find("<script") == std::string::npos);
  BOOST_TEST(page.find("&lt;script&gt;alert(&#39;&quot;&#39;)&lt;/script&gt;") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_page_asks_for_nothing) {
  const std::string page = htmlPage({"Kind", "Title", "Question?", {}, {}}, "");
  for (const char* const word : {"http:", "https:", "src=", "url(", "@import", "<script"})
    BOOST_TEST(page.find(word) == std::string::npos, word);
  BOOST_TEST(page.find("default-src 'none'") != std::string::npos);
  BOOST_TEST(page.find("<title>Title - Kind</title>") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::report::html_test
