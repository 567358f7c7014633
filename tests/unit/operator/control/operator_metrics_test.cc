#include "operator/control/operator_metrics.h"

#include <string>

#include <boost/test/unit_test.hpp>

#include "tests/support/metric_names.h"

namespace sumac::control::operator_metrics_test {
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

api::Condition conditionOf(const std::string& type) {
  api::Condition condition;
  condition.type = type;
  condition.status = api::ConditionStatus::kTrue;
  return condition;
}

api::JobStatus statusWith(const std::string& type) {
  api::JobStatus status;
  status.conditions.push_back(conditionOf(type));
  return status;
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
    reading.jobs_by_state["fake " + std::to_string(i)] = 1;

  metrics.publish(reading);
  metrics.publish(reading);

  const std::string text = registry.text();
  BOOST_TEST(text.find("sumac_operator_jobs{state=\"Other\"} 84\n") != std::string::npos);
  BOOST_TEST(text.find("fake 99") == std::string::npos);
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

BOOST_AUTO_TEST_CASE(counts_what_a_status_says_for_the_first_time) {
  Metrics registry;
  OperatorMetrics metrics(registry);
  const api::JobStatus created = statusWith("Created");
  api::JobStatus restarted = created;
  restarted.restarts = 1;
  restarted.disruptions = 1;
  api::JobStatus failed = restarted;
  failed.conditions.push_back(conditionOf("Failed"));

  metrics.statusWritten("lab", {}, created);
  metrics.statusWritten("lab", created, created);
  metrics.statusWritten("lab", created, restarted);
  metrics.statusWritten("lab", restarted, failed);
  metrics.statusWritten("other", created, statusWith("Succeeded"));

  const std::string text = registry.text();
  for (const char* line : {"sumac_jobs_created_total{namespace=\"lab\"} 1",
                           "sumac_jobs_restarted_total{namespace=\"lab\"} 2",
                           "sumac_jobs_failed_total{namespace=\"lab\"} 1",
                           "sumac_jobs_succeeded_total{namespace=\"other\"} 1"}) {
    BOOST_TEST(text.find(std::string(line) + "\n") != std::string::npos, line);
  }
  BOOST_TEST(text.find("sumac_jobs_succeeded_total{namespace=\"lab\"}") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_page_lists_exactly_what_there_is) {
  Metrics registry;
  OperatorMetrics metrics(registry);
  metrics.requested("get", 200);
  metrics.publish(aReading());
  api::JobStatus all = statusWith("Created");
  all.restarts = 1;
  all.conditions.push_back(conditionOf("Succeeded"));
  all.conditions.push_back(conditionOf("Failed"));
  metrics.statusWritten("lab", {}, all);

  const auto listed = documentedMetrics(SUMAC_SOURCE_FOLDER, "sumac-operator");
  const auto real = servedMetrics(registry.text());

  BOOST_TEST(!real.empty());
  BOOST_TEST(listed == real, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::control::operator_metrics_test
