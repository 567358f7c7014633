#include "cli/run/line_reader.h"

#include <boost/test/unit_test.hpp>

namespace sumac::cli::line_reader_test {

BOOST_AUTO_TEST_SUITE(line_reader)

BOOST_AUTO_TEST_CASE(cuts_a_stream_into_lines_wherever_it_is_split) {
  const std::string stream = "one\n\ntwo\nrest";
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    LineReader reader(10);
    auto lines = reader.feed(stream.substr(0, cut));
    for (auto& line : reader.feed(stream.substr(cut)))
      lines.push_back(line);
    const std::vector<std::string> expected{"one", "", "two"};
    BOOST_TEST(lines == expected, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(drops_a_line_above_the_limit_and_goes_on_behind_it) {
  LineReader reader(3);

  BOOST_TEST(reader.feed("123").empty());
  BOOST_TEST(reader.feed("4567").empty());
  const auto lines = reader.feed("8\nabc\nabcd\nx\n");

  const std::vector<std::string> expected{"abc", "x"};
  BOOST_TEST(lines == expected, boost::test_tools::per_element());
  BOOST_TEST(reader.dropped() == 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::line_reader_test
