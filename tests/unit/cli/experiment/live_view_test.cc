#include "cli/experiment/live_view.h"

#include <sstream>

#include <boost/test/unit_test.hpp>

namespace sumac::cli::live_view_test {

BOOST_AUTO_TEST_SUITE(live_view)

BOOST_AUTO_TEST_CASE(a_terminal_shows_the_table_in_one_place) {
  std::ostringstream out;
  LiveView view(out, {true, false, 11});

  view.show("HEAD\nrow 1\n", "running the second cell");
  BOOST_TEST(out.str() == "HEAD\nrow 1\nrunning th\n");

  out.str("");
  view.show("HEAD\n", "x");
  BOOST_TEST(out.str() == "\x1b[3A\r\x1b[JHEAD\nx\n");

  out.str("");
  view.note("cell 1 failed");
  BOOST_TEST(out.str() == "\x1b[2A\r\x1b[Jcell 1 failed\n");

  out.str("");
  view.finish();
  BOOST_TEST(out.str() == "");
}

BOOST_AUTO_TEST_CASE(a_table_that_may_not_fit_is_not_drawn) {
  std::ostringstream out;
  LiveView view(out, {true, false, 80});
  std::string table;
  for (int i = 0; i < 30; ++i)
    table += "row\n";
  view.show(table, "status");
  BOOST_TEST(out.str() == "status\n");
}

BOOST_AUTO_TEST_CASE(elsewhere_there_are_only_lines) {
  std::ostringstream out;
  LiveView view(out, {});
  view.show("HEAD\n", "status");
  view.note("run 1");
  view.finish();
  BOOST_TEST(out.str() == "run 1\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::live_view_test
