#include "exchange/link/link_metrics.h"

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

BOOST_AUTO_TEST_CASE(shows_each_peer) {
  Metrics metrics;
  LinkMetrics shown(metrics, "server");
  Statistics statistics;
  statistics.peers = {{{Role::kWorker, 3}, 10, 20, std::chrono::milliseconds(1500), 4, 5}};

  shown.update(statistics);
  statistics.peers[0].queued = 0;
  shown.update(statistics);

  const std::string text = metrics.text();
  for (const char* const line :
       {"sent_bytes_total{peer=\"worker-3\"} 10", "received_bytes_total{peer=\"worker-3\"} 20",
        "credit_stall_seconds_total{peer=\"worker-3\"} 1.5",
        "reopened_lanes_total{peer=\"worker-3\"} 4", "queued_messages{peer=\"worker-3\"} 0"})
    BOOST_TEST(text.find("\nsumac_server_peer_" + std::string(line) + "\n") != std::string::npos,
               text);
}

BOOST_AUTO_TEST_CASE(the_number_of_series_is_bounded) {
  Metrics metrics;
  LinkMetrics shown(metrics, "server");
  Statistics statistics;
  for (int i = 0; i < 1'000; ++i)
    statistics.peers.push_back({{Role::kWorker, i}, 2, 0, {}, 0, 0});

  shown.update(statistics);

  const std::string text = metrics.text();
  std::size_t series = 0;
  for (std::size_t at = 0; (at = text.find("_peer_sent_bytes_total{", at)) != text.npos; ++at)
    ++series;
  BOOST_TEST(series == LinkMetrics::kMostPeers + 1);
  BOOST_TEST(text.find("_peer_sent_bytes_total{peer=\"worker-63\"} 2\n") != text.npos);
  BOOST_TEST(text.find("_peer_sent_bytes_total{peer=\"other\"} 1872\n") != text.npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::link::link_metrics_test
