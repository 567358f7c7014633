#include "kube/client/http_text.h"

#include <vector>

#include <boost/test/unit_test.hpp>

#include "kube/client/line_splitter.h"

namespace sumac::kube::http_text_test {

BOOST_AUTO_TEST_SUITE(http_text)

BOOST_AUTO_TEST_CASE(encodes_all_but_plain_characters) {
  BOOST_TEST(percentEncoded("aZ09-._~") == "aZ09-._~");
  BOOST_TEST(percentEncoded("a b/\xff%") == "a%20b%2F%FF%25");
}

BOOST_AUTO_TEST_CASE(makes_targets_of_requests) {
  BOOST_TEST(targetOf({Method::kGet, "/api", {}, "", ""}) == "/api");
  BOOST_TEST(targetOf({Method::kGet, "/api", {{"a", "1"}, {"b", "&="}}, "", ""}) ==
             "/api?a=1&b=%26%3D");
}

BOOST_AUTO_TEST_CASE(reads_retry_after_in_seconds_only) {
  BOOST_TEST(retryAfterOf("0").value().count() == 0);
  BOOST_TEST(retryAfterOf("30").value().count() == 30);
  BOOST_TEST(retryAfterOf("100000").value().count() == 120);
  for (const char* value :
       {"", "-1", "1.5", "Wed, 21 Oct 2026 07:28:00 GMT", " 1", "99999999999999999999999"}) {
    BOOST_TEST_CONTEXT(value) {
      BOOST_TEST(!retryAfterOf(value).has_value());
    }
  }
}

BOOST_AUTO_TEST_CASE(header_text_is_printable_ascii) {
  BOOST_TEST(isHeaderText("Bearer abc.def"));
  BOOST_TEST(!isHeaderText("a\nb"));
  BOOST_TEST(!isHeaderText("a\rb"));
  BOOST_TEST(!isHeaderText("\xc3\xa4"));
}

BOOST_AUTO_TEST_CASE(tells_addresses_from_names) {
  BOOST_TEST(isIpAddress("10.0.0.1"));
  BOOST_TEST(!isIpAddress("kubernetes.default.svc"));
  BOOST_TEST(!isIpAddress(""));
}

BOOST_AUTO_TEST_CASE(lines_may_be_cut_anywhere) {
  const std::string text = "one\n\nthree\nrest";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    LineSplitter splitter(5);
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size(); at += piece) {
      const auto outcome = splitter.add(text.substr(at, piece), [&lines](std::string_view line) {
        lines.emplace_back(line);
        return true;
      });
      BOOST_TEST((outcome == LineSplitter::Outcome::kContinue));
    }
    const std::vector<std::string> expected{"one", "", "three"};
    BOOST_TEST(lines == expected, boost::test_tools::per_element());
    BOOST_TEST(splitter.rest() == "rest");
  }
}

BOOST_AUTO_TEST_CASE(a_line_may_be_as_long_as_allowed_and_no_longer) {
  const auto taken = [](std::string_view) { return true; };

  BOOST_TEST((LineSplitter(3).add("abc\n", taken) == LineSplitter::Outcome::kContinue));
  BOOST_TEST((LineSplitter(3).add("abcd\n", taken) == LineSplitter::Outcome::kTooLong));
  BOOST_TEST((LineSplitter(3).add("abcd", taken) == LineSplitter::Outcome::kTooLong));
}

BOOST_AUTO_TEST_CASE(a_reader_that_has_enough_gets_no_further_line) {
  int lines = 0;
  const auto outcome = LineSplitter(9).add("a\nb\n", [&lines](std::string_view) {
    ++lines;
    return false;
  });

  BOOST_TEST((outcome == LineSplitter::Outcome::kStopped));
  BOOST_TEST(lines == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::kube::http_text_test
