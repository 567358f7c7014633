#include "experiment/measure/sizing_record.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "experiment/measure/figures.h"

namespace sumac::experiment::sizing_record_test {
namespace {

using autoscaling::Reason;

autoscaling::SizeChange decided(double at, int from, int to, Reason reason) {
  autoscaling::SizeChange change{.at = at, .from = from, .told = "since it does"};
  change.decision.workers = to;
  change.decision.reason = reason;
  return change;
}

SizingRecord record() {
  return {100,
          2,
          {decided(30, 1, 4, Reason::kSavesTime), decided(70, 4, 2, Reason::kRoom)},
          {decided(50, 4, 4, Reason::kStraggler)},
          {{0, 1}, {31, 4}, {71, 2}},
          "abc"};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sizing_record)

BOOST_AUTO_TEST_CASE(a_run_costs_what_its_workers_and_servers_cost_until_its_end) {
  const auto run = spentBy(record(), /*servers=*/2, {.worker_hour = 3600, .server_hour = 1800});
  BOOST_TEST(run.seconds == 100);
  BOOST_TEST(run.worker_seconds == 31 + 4 * 40 + 2 * 29);
  BOOST_TEST(run.server_seconds == 200);
  BOOST_TEST(run.cost == run.worker_seconds + 100, boost::test_tools::tolerance(1e-9));
  BOOST_TEST_REQUIRE(run.phases.size() == 3U);
  BOOST_TEST(run.phases[1].cost == 31 + 31, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(run.changes.size() == 2U);
  BOOST_TEST(run.stays.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_run_of_a_comparison_of_sizes_is_a_file_and_comes_back) {
  const auto figures = figuresOf(record(), 50);
  BOOST_TEST_REQUIRE(figures.has_value());
  BOOST_TEST(figures->batchesPerSecond() == 0.5);
  const auto read = figuresFromFile(toFile(*figures, "me"), "me");
  BOOST_TEST_REQUIRE(read.has_value());
  BOOST_TEST_REQUIRE(read->sizing.has_value());
  BOOST_TEST(toJson(*read->sizing) == toJson(record()));
  BOOST_TEST((read->sizing->changes[1].decision.reason == Reason::kRoom));
  BOOST_TEST(read->sizing->stays[0].told == "since it does");
  BOOST_TEST(!figuresOf(record(), 0).has_value());
  BOOST_TEST(!figuresOf(SizingRecord{}, 50).has_value());
}

BOOST_AUTO_TEST_CASE(what_is_no_record_is_none) {
  const nlohmann::json good = toJson(record());
  BOOST_TEST(sizingRecordFrom(good).has_value());
  for (const char* const patch :
       {R"({"seconds": 0})", R"({"seconds": 50})", R"({"changingSeconds": "2"})",
        R"({"parametersSha256": 1})", R"({"phases": []})",
        R"({"phases": [{"seconds": 1, "workers": 2}]})",
        R"({"phases": [{"seconds": 0, "workers": 0}]})", R"({"changes": [1]})",
        R"({"changes": [{"seconds": 1, "from": 1, "to": 2, "reason": "Luck", "why": ""}]})",
        R"({"changes": [{"seconds": 1, "from": 1, "to": 2, "reason": 7, "why": ""}]})",
        R"({"changes": [{"seconds": 1, "from": 1, "to": 2, "reason": "Room"}]})",
        R"({"stays": {}})"}) {
    nlohmann::json bad = good;
    bad.merge_patch(nlohmann::json::parse(patch));
    BOOST_TEST(!sizingRecordFrom(bad).has_value(), patch);
  }
  BOOST_TEST(!sizingRecordFrom(nlohmann::json()).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::experiment::sizing_record_test
