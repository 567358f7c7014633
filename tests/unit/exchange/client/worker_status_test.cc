#include "exchange/client/worker_status.h"

#include <string>

#include <boost/test/unit_test.hpp>

#include "tests/support/manual_clock.h"
#include "tests/support/metric_names.h"

namespace sumac::worker::worker_status_test {
namespace {

struct Fixture {
  Fixture() { clock.advance(std::chrono::hours(1)); }

  ManualClock clock;
  WorkerStatus status{clock};
  HttpServer::Routes routes = status.routes();

  HttpAnswer get(const std::string& path) const { return routes.at(path)(); }
  void publish(bool connected) {
    ExchangeSnapshot snapshot;
    snapshot.at = clock.now();
    snapshot.member.connected = connected;
    status.exchange().set(snapshot);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(worker_status, Fixture)

BOOST_AUTO_TEST_CASE(is_healthy_however_long_it_reads_its_data) {
  clock.advance(std::chrono::hours(1));

  BOOST_TEST(get("/healthz").status == 200);
  BOOST_TEST(get("/readyz").status == 503);
  BOOST_TEST(get("/readyz").body.find("reading the data") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(is_ready_when_the_coordinator_has_answered) {
  publish(/*connected=*/false);
  BOOST_TEST(get("/readyz").status == 503);

  publish(/*connected=*/true);
  BOOST_TEST(get("/readyz").status == 200);
}

BOOST_AUTO_TEST_CASE(is_not_healthy_when_the_reactor_stands_still) {
  publish(/*connected=*/true);
  clock.advance(WorkerStatus::kStuck);

  BOOST_TEST(get("/healthz").status == 503);
}

BOOST_AUTO_TEST_CASE(shows_how_the_training_goes_as_metrics) {
  TrainerSnapshot trainer;
  trainer.step = 12;
  trainer.steps = 2;
  trainer.sum_wait_seconds = 1.5;
  status.trainer().set(trainer);

  const std::string text = get("/metrics").body;
  BOOST_TEST(text.find("\nsumac_worker_step 12\n") != std::string::npos);
  BOOST_TEST(text.find("\nsumac_worker_steps_total 2\n") != std::string::npos);
  BOOST_TEST(text.find("sumac_worker_wait_seconds_total{for=\"sums\"} 1.5\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(counts_each_step_once_by_its_duration) {
  TrainerSnapshot trainer;
  trainer.step_durations.observe(0.003);
  status.trainer().set(trainer);
  get("/metrics");
  trainer.step_durations.observe(0.3);
  status.trainer().set(trainer);
  get("/metrics");

  const std::string text = get("/metrics").body;

  const std::string name = "sumac_worker_step_duration_seconds";
  BOOST_TEST(text.find(name + "_bucket{le=\"0.0025\"} 0\n") != std::string::npos, text);
  BOOST_TEST(text.find(name + "_bucket{le=\"0.005\"} 1\n") != std::string::npos, text);
  BOOST_TEST(text.find(name + "_bucket{le=\"+Inf\"} 2\n") != std::string::npos, text);
  BOOST_TEST(text.find(name + "_count 2\n") != std::string::npos, text);
  BOOST_TEST(text.find(name + "_sum 0.303") != std::string::npos, text);
}

BOOST_AUTO_TEST_CASE(the_page_lists_exactly_what_there_is) {
  ExchangeSnapshot snapshot;
  snapshot.link.peers = {{.peer = {Role::kServer, 0}}};
  status.exchange().set(snapshot);
  auto listed = documentedMetrics(SUMAC_SOURCE_FOLDER, "sumac-worker");
  listed.merge(documentedMetrics(SUMAC_SOURCE_FOLDER, "Connections", "sumac_worker_"));
  listed.merge(documentedMetrics(SUMAC_SOURCE_FOLDER, "Every process"));

  BOOST_TEST(listed == servedMetrics(get("/metrics").body), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(says_whom_it_waits_for) {
  BOOST_TEST(get("/stuck").body == "{\"waits\":[]}\n");

  ExchangeSnapshot snapshot;
  snapshot.waits = {{{Role::kWorker, 0}, {Role::kServer, 1}, 3, "a sum", clock.now()}};
  status.exchange().set(snapshot);
  clock.advance(std::chrono::seconds(2));

  BOOST_TEST(get("/stuck").body ==
             R"({"waits":[{"who":"worker 0","for":"server 1","step":3,"what":"a sum",)"
             R"("seconds":2.0}]})"
             "\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::worker_status_test
