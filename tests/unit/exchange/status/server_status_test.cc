#include "exchange/status/server_status.h"

#include <string>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "job/progress/job_event.h"
#include "tests/support/manual_clock.h"
#include "tests/support/metric_names.h"

namespace sumac::server_status_test {
namespace {

struct Fixture {
  ManualClock clock;
  ServerStatus status{{Role::kServer, 0}, {"uid", "0"}, clock};
  HttpServer::Routes routes = status.routes();

  HttpAnswer get(const std::string& path) const { return routes.at(path)(); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(server_status, Fixture)

BOOST_AUTO_TEST_CASE(is_healthy_while_the_reactor_advances) {
  clock.advance(ServerStatus::kStuck - std::chrono::seconds(1));
  BOOST_TEST(get("/healthz").status == 200);

  clock.advance(std::chrono::seconds(1));
  BOOST_TEST(get("/healthz").status == 503);
  BOOST_TEST(get("/healthz").body.find("10 s") != std::string::npos);

  status.publish({}, {});
  BOOST_TEST(get("/healthz").status == 200);
}

BOOST_AUTO_TEST_CASE(is_ready_when_it_has_the_coordinator) {
  BOOST_TEST(get("/readyz").status == 503);

  MemberView member;
  member.connected = true;
  status.publish({}, member);

  BOOST_TEST(get("/readyz").status == 200);
}

BOOST_AUTO_TEST_CASE(shows_members_and_progress_as_metrics) {
  MemberView member;
  member.members = 3;
  status.publish({}, member);
  BOOST_TEST(get("/metrics").body.find("sumac_server_loss") == std::string::npos);

  Progress progress;
  progress.step = 7;
  progress.total_steps = 9;
  progress.loss = 0.5;
  status.publish(progress);

  const std::string text = get("/metrics").body;
  BOOST_TEST(text.find("\nsumac_server_members 3\n") != std::string::npos);
  BOOST_TEST(text.find("\nsumac_server_step 7\n") != std::string::npos);
  BOOST_TEST(text.find("\nsumac_server_total_steps 9\n") != std::string::npos);
  BOOST_TEST(text.find("\nsumac_server_loss 0.5\n") != std::string::npos);
  BOOST_TEST(text.find("\nsumac_server_samples_per_second Nan\n") != std::string::npos, text);
  BOOST_TEST(get("/progress").status == 200);
}

BOOST_AUTO_TEST_CASE(tells_with_the_progress_how_members_have_changed) {
  Outlet nobody(-1);
  Progress progress;
  progress.step = progress.total_steps = 9;
  passOn(toLine(progress), status, nobody);
  BOOST_TEST(get("/progress").body.find("membership") == std::string::npos);
  passOn(R"({"event":"roster","term":2,"generation":1})", status, nobody);
  passOn(R"({"event":"roster","term":2,"generation":2,"members":{"server":[0],"worker":[0,1,2]}})",
         status, nobody);
  MembersChanged change;
  change.term = 2;
  change.generation = 2;
  change.cause = "worker 2 joined";
  passOn(toLine(change), status, nobody);

  const auto told =
      membershipReportFromJson(nlohmann::json::parse(get("/progress").body)["membership"]);

  BOOST_REQUIRE(told.has_value());
  BOOST_TEST(told->term == 2U);
  BOOST_TEST(told->generation == 2U);
  BOOST_TEST(told->changes == 1);
  BOOST_TEST(told->workers == 3);
  BOOST_TEST((told->last == change));
}

BOOST_AUTO_TEST_CASE(tells_with_the_progress_that_checkpoints_are_skipped) {
  Outlet nobody(-1);
  const auto pass = [&](const std::string& line) { passOn(line, status, nobody); };
  const auto tells = [&](const std::string& text) {
    return get("/progress").body.find(text) != std::string::npos;
  };
  Progress progress;
  progress.step = progress.total_steps = 9;
  pass(toLine(CheckpointWritten{5}));
  pass(toLine(progress));
  BOOST_TEST(tells(R"("checkpointStep":5)"));
  BOOST_TEST(!tells("checkpointSkippedStep"));

  pass(toLine(CheckpointSkipped{6, "no room"}));
  pass(toLine(CheckpointSkipped{7, "no room"}));
  BOOST_TEST(tells(R"("checkpointSkippedStep":6)"));
  pass(toLine(progress));
  BOOST_TEST(tells(R"("checkpointSkippedStep":6)"));

  pass(toLine(CheckpointWritten{8}));
  BOOST_TEST(tells(R"("checkpointStep":8)"));
  BOOST_TEST(!tells("checkpointSkippedStep"));
}

BOOST_AUTO_TEST_CASE(counts_rejected_pushes_by_reason) {
  MemberView member;
  member.rejected.at(static_cast<std::size_t>(PushRejection::kNode)) = 2;
  status.publish({}, member);

  const std::string text = get("/metrics").body;
  BOOST_TEST(text.find("\nsumac_server_rejected_pushes_total{reason=\"node\"} 2\n") != text.npos);
  BOOST_TEST(text.find("\nsumac_server_rejected_pushes_total{reason=\"step\"} 0\n") != text.npos);
}

BOOST_AUTO_TEST_CASE(only_server_0_tells_progress) {
  ServerStatus other({Role::kServer, 1}, {"uid", "0"}, clock);

  BOOST_TEST(!other.routes().contains("/progress"));
}

BOOST_AUTO_TEST_CASE(the_page_lists_exactly_what_there_is) {
  link::Statistics statistics;
  statistics.peers = {{.peer = {Role::kWorker, 0}}};
  status.publish(statistics, {});
  status.publish(Progress());
  auto listed = documentedMetrics(SUMAC_SOURCE_FOLDER, "sumac-server");
  listed.merge(documentedMetrics(SUMAC_SOURCE_FOLDER, "Connections", "sumac_server_"));
  listed.merge(documentedMetrics(SUMAC_SOURCE_FOLDER, "Every process"));

  BOOST_TEST(listed == servedMetrics(get("/metrics").body), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(says_whom_it_waits_for) {
  BOOST_TEST(get("/stuck").body == "{\"waits\":[]}\n");

  status.publish({}, {}, {{{Role::kServer, 0}, {Role::kWorker, 1}, 3, "a push", clock.now()}});
  clock.advance(std::chrono::seconds(2));

  BOOST_TEST(get("/stuck").body ==
             R"({"waits":[{"who":"server 0","for":"worker 1","step":3,"what":"a push",)"
             R"("seconds":2.0}]})"
             "\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::server_status_test
