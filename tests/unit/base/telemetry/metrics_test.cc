#include "base/telemetry/metrics.h"

#include <string>

#include <boost/test/unit_test.hpp>

#include "base/core/check.h"

namespace sumac::metrics_test {

BOOST_AUTO_TEST_SUITE(metrics)

BOOST_AUTO_TEST_CASE(writes_a_counter_with_its_help_and_labels) {
  Metrics all;

  all.counter("sumac_test_frames_total", "Frames refused.", {{"reason", "crc"}}).add(3);

  const std::string expected =
      "# HELP sumac_test_frames_total Frames refused.\n"
      "# TYPE sumac_test_frames_total counter\n"
      "sumac_test_frames_total{reason=\"crc\"} 3\n";
  BOOST_TEST(all.text() == expected);
}

BOOST_AUTO_TEST_CASE(gives_the_same_metric_for_the_same_name_and_labels) {
  Metrics all;
  all.counter("sumac_test_total", "help", {{"a", "1"}}).add();

  all.counter("sumac_test_total", "help", {{"a", "1"}}).add();
  all.counter("sumac_test_total", "help", {{"a", "2"}}).add();

  BOOST_TEST(all.counter("sumac_test_total", "help", {{"a", "1"}}).value() == 2);
  BOOST_TEST(all.counter("sumac_test_total", "help", {{"a", "2"}}).value() == 1);
}

BOOST_AUTO_TEST_CASE(brings_a_counter_to_a_total_but_never_back) {
  Metrics all;
  Counter counter = all.counter("sumac_test_total", "help");

  counter.advanceTo(7);
  counter.advanceTo(5);

  BOOST_TEST(counter.value() == 7);
}

BOOST_AUTO_TEST_CASE(sets_a_gauge_up_and_down) {
  Metrics all;
  Gauge gauge = all.gauge("sumac_test_depth", "help");

  gauge.set(5);
  gauge.add(-2);

  BOOST_TEST(gauge.value() == 3);
}

BOOST_AUTO_TEST_CASE(counts_a_value_into_the_bucket_it_fits_in) {
  Metrics all;

  all.histogram("sumac_test_seconds", "help", {0.1, 1}).observe(0.5);

  const std::string text = all.text();
  BOOST_TEST(text.find("sumac_test_seconds_bucket{le=\"0.1\"} 0\n") != std::string::npos);
  BOOST_TEST(text.find("sumac_test_seconds_bucket{le=\"1\"} 1\n") != std::string::npos);
  BOOST_TEST(text.find("sumac_test_seconds_sum 0.5\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(escapes_a_label_value_so_that_a_line_stays_a_line) {
  Metrics all;

  all.gauge("sumac_test_depth", "help", {{"name", "a\"\n\\"}}).set(1);

  BOOST_TEST(all.text().find("{name=\"a\\\"\\n\\\\\"} 1\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(takes_a_name_that_prometheus_refuses_for_a_bug_and_says_which) {
  Metrics all;
  const auto namesIt = [](const InvariantViolation& failure) {
    return std::string(failure.what()).find("sumac-bad") != std::string::npos;
  };

  BOOST_CHECK_EXCEPTION(all.counter("sumac-bad", "help"), InvariantViolation, namesIt);
}

BOOST_AUTO_TEST_CASE(takes_one_name_for_two_kinds_for_a_bug) {
  Metrics all;
  all.counter("sumac_test_total", "help");

  BOOST_CHECK_THROW(all.gauge("sumac_test_total", "help"), InvariantViolation);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::metrics_test
