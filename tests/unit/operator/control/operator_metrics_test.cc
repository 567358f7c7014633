#include "operator/control/operator_metrics.h"

#include <regex>
#include <set>
#include <string>

#include <boost/test/unit_test.hpp>

#include "common/base/file.h"

namespace sumac::control {
namespace {

MetricsReading aReading() {
  MetricsReading reading;
  reading.queue_depth = 3;
  reading.queue_adds = 10;
  reading.throttled_seconds = 1.5;
  reading.is_leader = true;
  reading.jobs_by_state = {{"Running", 2}};
  reading.caches = {{"pods", 20, 1, 4, 2}};
  return reading;
}

/// All names that match, without those of a histogram's parts.
std::set<std::string> namesIn(const std::string& text, const std::regex& pattern) {
  std::set<std::string> names;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
    names.insert((*it)[1].str());
  }
  return names;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(operator_metrics)

BOOST_AUTO_TEST_CASE(shows_what_was_read_and_what_was_told) {
  Metrics registry;
  OperatorMetrics metrics(registry);
  metrics.reconciled(PassOutcome::kBroken, std::chrono::milliseconds(3));
  metrics.requested("create", 409);
  metrics.requested("create", 409);

  metrics.publish(aReading());

  const std::string text = registry.text();
  for (const char* line : {"sumac_operator_reconciles_total{result=\"broken\"} 1",
                           "sumac_operator_reconciles_total{result=\"done\"} 0",
                           "sumac_operator_reconcile_duration_seconds_count 1",
                           "sumac_operator_requests_total{code=\"409\",verb=\"create\"} 2",
                           "sumac_operator_queue_depth 3", "sumac_operator_queue_adds_total 10",
                           "sumac_operator_throttled_seconds_total 1.5",
                           "sumac_operator_is_leader 1", "sumac_operator_jobs{state=\"Running\"} 2",
                           "sumac_operator_cache_objects{resource=\"pods\"} 20",
                           "sumac_operator_cache_refused_total{resource=\"pods\"} 1",
                           "sumac_operator_watch_restarts_total{resource=\"pods\"} 4",
                           "sumac_operator_watch_relists_total{resource=\"pods\"} 2"}) {
    BOOST_TEST(text.find(std::string(line) + "\n") != std::string::npos, line);
  }
}

BOOST_AUTO_TEST_CASE(states_without_end_make_no_series_without_end) {
  Metrics registry;
  OperatorMetrics metrics(registry);
  MetricsReading reading;
  for (int i = 0; i < 100; ++i)
    reading.jobs_by_state["made up " + std::to_string(i)] = 1;

  metrics.publish(reading);
  metrics.publish(reading);

  const std::string text = registry.text();
  BOOST_TEST(text.find("sumac_operator_jobs{state=\"Other\"} 84\n") != std::string::npos);
  BOOST_TEST(text.find("made up 99") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_state_that_no_job_has_any_more_goes_to_zero) {
  Metrics registry;
  OperatorMetrics metrics(registry);
  metrics.publish(aReading());
  MetricsReading later = aReading();
  later.jobs_by_state = {{"Succeeded", 2}};

  metrics.publish(later);

  BOOST_TEST(registry.text().find("sumac_operator_jobs{state=\"Running\"} 0\n") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_page_lists_exactly_what_there_is) {
  Metrics registry;
  OperatorMetrics metrics(registry);
  metrics.requested("get", 200);
  metrics.publish(aReading());
  const auto page =
      readTextFile(std::string(SUMAC_SOURCE_FOLDER) + "/docs/metrics.md", std::uint64_t{1} << 20U);
  BOOST_REQUIRE(page.has_value());

  const auto listed = namesIn(*page, std::regex("\\| `(sumac_operator_[a-z_]+)"));
  const auto real = namesIn(registry.text(), std::regex("# TYPE (sumac_operator_[a-z_]+) "));

  BOOST_TEST(!real.empty());
  BOOST_TEST(listed == real, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::control
