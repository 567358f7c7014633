#include "worker/exchange/progress_report.h"

#include <boost/test/unit_test.hpp>

namespace sumac::worker {

BOOST_AUTO_TEST_SUITE(progress_report)

BOOST_AUTO_TEST_CASE(names_the_event_first) {
  BOOST_TEST(toJson(ProgressReport{}).starts_with(R"({"event":"progress")"));
}

BOOST_AUTO_TEST_CASE(gives_the_perplexity_of_text_only) {
  ProgressReport report;
  report.loss = 2;
  BOOST_TEST(toJson(report).find("perplexity") == std::string::npos);
  report.is_text = true;
  BOOST_TEST(toJson(report).find(R"("perplexity":7.38906)") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker
