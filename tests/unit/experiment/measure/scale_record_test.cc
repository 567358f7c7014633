#include "experiment/measure/scale_record.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "experiment/measure/figures.h"

namespace sumac::experiment::scale_record_test {
namespace {

/// Ten steps a second with one worker, a change of a second, then twenty with two.
ScaleRecord grownRecord() {
  return {{{0, 1, 1, std::nullopt, 2.5},
           {1, 1, 11, 10, 2.0},
           {2, 2, 12, 1, 1.5},
           {2.5, 2, 22, 20, std::nullopt}},
          {{0.9, 11, 1, 2, 1}},
          "abc",
          {{1, 11, {0.5, 0.25, 0.125, 0}}, {2, 33, {0.1, 0.05, 0.025, 0.2}}},
          1};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(scale_record)

BOOST_AUTO_TEST_CASE(a_phase_is_the_time_of_one_number_of_workers) {
  const auto phases = phasesOf(grownRecord());
  BOOST_TEST_REQUIRE(phases.size() == 2U);
  BOOST_TEST((phases[0] == ScalePhase{1, 0, 1, 1, 11, 10}));
  BOOST_TEST((phases[1] == ScalePhase{2, 2, 2.5, 12, 22, 20}));
}

BOOST_AUTO_TEST_CASE(a_phase_of_one_step_has_no_speed) {
  const auto phases = phasesOf({{{0, 1, 1, std::nullopt, 2.5}}, {}, ""});
  BOOST_TEST_REQUIRE(phases.size() == 1U);
  BOOST_TEST(!phases[0].batches_per_second.has_value());
}

BOOST_AUTO_TEST_CASE(changes_are_part_of_a_runs_time) {
  const auto figures = figuresOf(grownRecord(), 11);
  BOOST_REQUIRE(figures.has_value());
  BOOST_TEST(figures->steps == 11);
  BOOST_TEST(figures->seconds == 1.5);
  BOOST_TEST(!figuresOf(grownRecord(), 22).has_value());
}

BOOST_AUTO_TEST_CASE(a_record_comes_back_from_a_runs_file) {
  const auto figures = figuresOf(grownRecord(), 1);
  BOOST_REQUIRE(figures.has_value());
  const auto back = figuresFromFile(toFile(*figures, "it"), "it");
  BOOST_REQUIRE(back.has_value());
  BOOST_TEST((back->scale == grownRecord()));
}

BOOST_AUTO_TEST_CASE(phases_of_a_step_are_means_over_all_steps) {
  const auto mean = figuresOf(grownRecord(), 1)->phases;
  BOOST_REQUIRE(mean.has_value());
  BOOST_TEST(mean->gradient_seconds == 0.2, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(mean->data_wait_seconds == 0.15, boost::test_tools::tolerance(1e-9));
  ScaleRecord silent = grownRecord();
  silent.times.clear();
  BOOST_TEST(!figuresOf(silent, 1)->phases.has_value());
}

// A folder that an earlier version began can be resumed.
BOOST_AUTO_TEST_CASE(changes_of_an_earlier_version_were_all_restarts) {
  nlohmann::json json = toJson(grownRecord());
  json["restarts"] = json["changes"];
  json.erase("changes");
  BOOST_TEST((scaleRecordFrom(json) == grownRecord()));
}

BOOST_AUTO_TEST_CASE(what_is_no_record_is_refused) {
  nlohmann::json json = toJson(grownRecord());
  BOOST_TEST(scaleRecordFrom(json).has_value());
  json["points"][1].erase("step");
  BOOST_TEST(!scaleRecordFrom(json).has_value());
  BOOST_TEST(!scaleRecordFrom("text").has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::experiment::scale_record_test
