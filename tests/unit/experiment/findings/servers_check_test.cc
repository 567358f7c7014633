#include "experiment/findings/servers_check.h"

#include <boost/test/unit_test.hpp>

#include "tests/unit/experiment/findings/outcomes.h"

namespace sumac::experiment::servers_check_test {
namespace {

/// One server, two, and one worker alone: 1 MB a step from each of four workers, over links of
/// 100 Mbit/s, so that one server's takes 0.64 s. Computing takes 0.4 s.
struct Servers : MeasuredExperiment {
  Servers() {
    experiment.axes = {{"servers",
                        {{"1", {{"spec.server.replicas", number("1")}}},
                         {"2", {{"spec.server.replicas", number("2")}}},
                         {"none", {{"spec.server", {}}, {"spec.worker.replicas", number("1")}}}}}};
    cells.resize(3);
    outcomes.assign(3, {});
    set(0, 1, 0.6);
    set(1, 2, 0.4);
    set(2, 0, 0.4);
  }

  void set(std::size_t index, int servers, double step) {
    Cell& cell = cells[index];
    cell.values = {experiment.axes[0].values[index].name};
    cell.job.worker.replicas = servers == 0 ? 1 : 4;
    cell.job.server.replicas = servers;
    if (servers == 0) cell.job.strategy.method.reset();
    cell.conditions.link_bits_per_second = 100'000'000;
    RunFigures figures = run(10 * step);
    figures.phases = StepPhases{0.375, 0.025, step - 0.4, 0};
    figures.bytes = StepBytes{1e6, 1e6};
    outcomes[index].runs = {figures, figures};
  }

  std::vector<ServersCheck> checks() const { return serversChecks(experiment, cells, summaries()); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(servers_check, Servers)

BOOST_AUTO_TEST_CASE(the_lemma_stands_beside_what_was_measured) {
  const auto all = checks();
  BOOST_TEST_REQUIRE(all.size() == 1U);
  BOOST_TEST(all[0].workers == 4);
  BOOST_TEST(all[0].compute_seconds == 0.4, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(all[0].exchange_seconds == 0.64, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(all[0].servers == 2);
  BOOST_TEST_REQUIRE(all[0].measured.size() == 2U);
  BOOST_TEST(all[0].measured[0].step == 1.5, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(all[0].measured[0].half_width.value() == 0);
  BOOST_TEST(all[0].measured[1].servers == 2);
  BOOST_TEST(all[0].axis == 0U);
}

BOOST_AUTO_TEST_CASE(a_step_that_was_measured_once_has_no_interval) {
  outcomes[0].runs.pop_back();
  BOOST_TEST(!checks().at(0).measured[0].half_width.has_value());
}

BOOST_AUTO_TEST_CASE(cells_that_differ_in_more_than_servers_stand_apart) {
  experiment.axes.push_back({"link", {{"slow", {}}, {"fast", {}}}});
  for (Cell& cell : cells)
    cell.values.emplace_back("slow");
  BOOST_TEST(checks().at(0).cell == &cells[0]);
  cells[0].values[1] = "fast";
  BOOST_TEST(checks().empty());
}

BOOST_AUTO_TEST_CASE(without_links_phases_bytes_or_a_second_number_of_servers_it_says_nothing) {
  const auto whole = outcomes;
  const auto limited = cells;
  cells[0].conditions.link_bits_per_second.reset();
  BOOST_TEST(checks().empty());
  cells = limited;
  outcomes[0].runs.clear();
  BOOST_TEST(checks().empty());
  for (const auto forget : {0, 1}) {
    outcomes = whole;
    for (RunFigures& run : outcomes[1].runs) {
      if (forget == 0) run.phases.reset();
      if (forget == 1) run.bytes.reset();
    }
    BOOST_TEST(checks().empty());
  }
  outcomes = whole;
  for (CellOutcome& outcome : outcomes) {
    for (RunFigures& run : outcome.runs)
      run.bytes = StepBytes{};  // nothing was sent
  }
  BOOST_TEST(checks().empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::experiment::servers_check_test
