#include "common/link/link_metrics.h"

#include <string>

#include <boost/test/unit_test.hpp>

namespace sumac::link::link_metrics_test {

BOOST_AUTO_TEST_SUITE(link_metrics)

BOOST_AUTO_TEST_CASE(shows_what_a_link_counted_under_the_name_of_the_process) {
  Metrics metrics;
  LinkMetrics shown(metrics, "worker");
  Statistics statistics;
  statistics.bytes_sent = 128;
  statistics.reconnects = 2;
  statistics.resent = 3;
  statistics.reopened = 4;
  statistics.reject(wire::Rejection::kFrameCount);

  shown.update(statistics);
  shown.update(statistics);

  const std::string text = metrics.text();
  BOOST_TEST(text.find("\nsumac_worker_sent_bytes_total 128\n") != std::string::npos);
  BOOST_TEST(text.find("\nsumac_worker_reconnects_total 2\n") != std::string::npos);
  BOOST_TEST(text.find("\nsumac_worker_resent_messages_total 3\n") != std::string::npos);
  BOOST_TEST(text.find("\nsumac_worker_reopened_lanes_total 4\n") != std::string::npos);
  BOOST_TEST(text.find("_rejected_messages_total{reason=\"frame_count\"} 1\n") !=
             std::string::npos);
  BOOST_TEST(text.find("_rejected_messages_total{reason=\"job\"} 0\n") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::link::link_metrics_test
