#include "experiment/report/verdict.h"

#include <boost/test/unit_test.hpp>

#include "tests/unit/experiment/report/outcomes.h"

#include "experiment/report/labels.h"

namespace sumac::experiment::verdict_test {
namespace {

/// Two exchanges with one worker and with two, each run three times.
struct Measured : MeasuredExperiment {
  Measured() {
    for (AxisValue& value : experiment.axes[0].values)
      value.settings = {{"spec.strategy.exchange", {}}, {"spec.server", {}}};
    outcomes.assign(4, {});
  }

  /// Runs of a cell with so many steps a second, up to `spread` away from it.
  void set(std::size_t cell, double speed, double spread) {
    outcomes[cell].runs.clear();
    for (const double share : {-1.0, 0.0, 1.0})
      outcomes[cell].runs.push_back(run(10 / (speed * (1 + spread * share))));
  }

  Verdict verdict() const { return verdictOf(experiment, cells, summaries()); }
};

bool tells(const Verdict& verdict, std::string_view part) {
  for (const std::string& sentence : verdict.sentences) {
    if (sentence.find(part) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(verdict)

BOOST_AUTO_TEST_CASE(a_lead_is_told_with_its_interval_and_no_lead_with_the_ratios_that_may_be) {
  Measured measured;
  measured.set(0, 10, 0.02);
  measured.set(1, 10, 0.02);
  measured.set(2, 10.1, 0.02);
  measured.set(3, 20, 0.01);
  const Verdict verdict = measured.verdict();

  BOOST_REQUIRE(verdict.sentences.size() >= 3U);
  BOOST_TEST(verdict.sentences[0] ==
             "ring is ahead of server at 2 workers: 2.00 times the samples a second, 95 % interval "
             "1.86 to 2.15.");
  BOOST_TEST(verdict.sentences[1].starts_with("2 workers are ahead of 1 worker with ring: 1.98"));
  BOOST_TEST(verdict.sentences[2] ==
             "No difference can be told between server and ring at 1 worker: the ratio is 0.92 to "
             "1.07.");
  BOOST_TEST(
      verdict.basis.starts_with("4 pairs of cells that differ in one axis can be compared."));
}

BOOST_AUTO_TEST_CASE(cells_of_different_networks_are_not_compared) {
  Measured measured;
  for (const std::size_t cell : {0U, 1U, 2U, 3U})
    measured.set(cell, 10, 0.001);
  for (const std::size_t cell : {2U, 3U})
    measured.cells[cell].network = "ptb-lstm-small";

  BOOST_TEST(measured.verdict().basis.starts_with("2 pairs of cells"));  // 1 worker and 2, of each
}

BOOST_AUTO_TEST_CASE(what_a_faster_link_does_is_told_after_what_was_asked) {
  Measured measured;
  measured.experiment.axes[1] = {"link", {{"slow", {}}, {"fast", {}}}};
  for (const std::size_t cell : {0U, 1U, 2U, 3U}) {
    const bool is_fast = cell % 2 == 1;
    measured.cells[cell].values[1] = is_fast ? "fast" : "slow";
    measured.cells[cell].job.worker.replicas = 2;
    measured.cells[cell].conditions.link_bits_per_second = is_fast ? 1'000 : 10;
    measured.set(cell, (is_fast ? 100 : 10) * (cell < 2 ? 2 : 1), 0.001);
  }
  const Verdict verdict = measured.verdict();
  BOOST_TEST(verdict.sentences[0].starts_with("server is ahead of ring in all 2 comparisons"));
  BOOST_TEST(verdict.sentences[1].starts_with("fast is ahead of slow in all 2 comparisons"));
}

BOOST_AUTO_TEST_CASE(workers_are_compared_last) {
  Measured measured;
  for (const std::size_t cell : {0U, 1U, 2U, 3U})
    measured.set(cell, 10, 0.001);
  const Verdict verdict = measured.verdict();

  BOOST_TEST(verdict.sentences[0].starts_with("No difference can be told between server and ring"));
  BOOST_TEST(verdict.sentences[0].ends_with("; nor in 1 other comparison."));
  measured.set(1, 20, 0.001);
  measured.set(3, 30, 0.001);
  BOOST_TEST(tells(measured.verdict(),
                   "2 workers are ahead of 1 worker in all 2 comparisons, most with ring: 3.00"));
}

BOOST_AUTO_TEST_CASE(the_leader_comes_first_whichever_it_is) {
  Measured measured;
  measured.set(0, 30, 0.01);
  measured.set(1, 10, 0.01);
  measured.set(2, 10, 0.01);
  measured.set(3, 12, 0.01);
  const Verdict verdict = measured.verdict();
  BOOST_TEST(verdict.sentences[0].starts_with("server is ahead of ring at 1 worker: 3.00 times"));
  BOOST_TEST(verdict.sentences[1].starts_with("ring is ahead of server at 2 workers: 1.20 times"));
  BOOST_TEST(tells(verdict, "1 worker is ahead of 2 workers with server"));
}

BOOST_AUTO_TEST_CASE(a_lead_that_is_within_the_spread_is_none) {
  Measured measured;
  for (const std::size_t cell : {0U, 1U, 2U})
    measured.set(cell, 10, 0.2);
  measured.set(3, 12, 0.2);
  BOOST_TEST(!tells(measured.verdict(), "ahead"));
}

BOOST_AUTO_TEST_CASE(more_comparisons_make_wider_intervals) {
  Measured measured;
  measured.set(0, 10, 0.02);
  measured.set(2, 11, 0.02);
  // One pair holds alone, as the ordinary interval of a ratio tells: 1.1 within 4.6 %.
  Measured alone = measured;
  alone.experiment.axes.pop_back();
  alone.cells = {measured.cells[0], measured.cells[2]};
  alone.outcomes = {measured.outcomes[0], measured.outcomes[2]};
  for (Cell& cell : alone.cells)
    cell.values.pop_back();
  BOOST_TEST(tells(alone.verdict(), "1.10 times the samples a second, 95 % interval 1.05 to 1.16"));
  BOOST_TEST(alone.verdict().basis == "1 pair of cells that differ in one axis can be compared.");

  BOOST_TEST(
      tells(measured.verdict(), "1.10 times the samples a second, 95 % interval 1.02 to 1.19"));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_compared_is_said) {
  Measured measured;
  BOOST_TEST(measured.verdict().sentences[0] ==
             "No run has ended yet: there is nothing to compare.");
  for (CellOutcome& outcome : measured.outcomes)
    outcome.failure = "gone";
  BOOST_TEST(measured.verdict().sentences[0] == "All 4 cells failed: nothing was measured.");
  for (CellOutcome& outcome : measured.outcomes)
    outcome.runs = {MeasuredExperiment::run(1)};
  BOOST_TEST(measured.verdict().sentences[0] == "One run each: nothing can be said of the spread.");
  BOOST_TEST(measured.verdict().basis.empty());
  measured.set(0, 10, 0.02);
  BOOST_TEST(measured.verdict().sentences[0] == "No two cells to compare have two runs each.");
  measured.set(2, 20, 0.02);
  BOOST_TEST(tells(measured.verdict(), "ring is ahead of server at 1 worker"));
  BOOST_TEST(measured.verdict().basis.find("1 was: of the others a cell has no two runs") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(emulated_cells_are_named_as_such) {
  Measured measured;
  measured.set(1, 10, 0.02);
  measured.set(3, 20, 0.02);
  measured.cells[1].conditions.is_emulated = true;
  measured.cells[3].conditions.is_emulated = true;
  BOOST_TEST(tells(measured.verdict(), "ring is ahead of server at 2 workers (emulated):"));

  measured.set(0, 10, 0.02);
  measured.set(2, 15, 0.02);
  BOOST_TEST(
      tells(measured.verdict(),
            "ring is ahead of server in all 2 comparisons (1 of them emulated), at 2 workers: "
            "2.00"));
}

BOOST_AUTO_TEST_CASE(how_long_computing_takes_is_no_finding) {
  Measured measured;
  for (const std::size_t cell : {0U, 1U, 2U, 3U})
    measured.set(cell, 10.0 * (1 + static_cast<double>(cell)), 0.01);
  measured.cells[2].conditions = {std::nullopt, true, 10};
  measured.cells[3].conditions = {std::nullopt, true, 10};
  BOOST_TEST(!tells(measured.verdict(), "ring is ahead"));
  BOOST_TEST(measured.verdict().basis.starts_with("2 pairs of cells"));
}

BOOST_AUTO_TEST_CASE(a_handful_of_sentences_is_enough) {
  Measured measured;
  measured.experiment.axes = {{"a", {}}};
  measured.cells.resize(1);
  for (int i = 0; i < 6; ++i) {
    measured.experiment.axes[0].values.push_back({std::to_string(i), {}});
    measured.cells.resize(static_cast<std::size_t>(i) + 1, measured.cells[0]);
    measured.cells.back().values = {std::to_string(i)};
  }
  measured.outcomes.assign(6, {});
  for (std::size_t i = 0; i < 6; ++i)
    measured.set(i, 10.0 * static_cast<double>(i + 1), 0.001);
  const Verdict verdict = measured.verdict();
  BOOST_TEST(verdict.sentences.size() == 5U);
  BOOST_TEST(verdict.sentences[0].starts_with("a=5 is ahead of a=0: 6.0"));
  BOOST_TEST(verdict.basis.find("strongest findings") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_cell_that_exchanges_nothing_is_never_the_finding) {
  Measured measured;
  for (const std::size_t cell : {0U, 1U})
    measured.set(cell, 10, 0.001);
  measured.set(2, 263, 0.001);  // alone, it only computes
  measured.set(3, 20, 0.001);
  for (const std::size_t cell : {2U, 3U})
    measured.cells[cell].job.strategy.method = ExchangeMethod::kDecentralized;
  const Verdict verdict = measured.verdict();
  BOOST_TEST(verdict.sentences[0].starts_with(
                 "ring is ahead of server in all 2 comparisons, at 2 workers: 2.00 times"),
             verdict.sentences[0]);
  BOOST_TEST(verdict.sentences[0].ends_with("; cell 3 exchanges nothing."));

  measured.set(3, 10, 0.001);
  BOOST_TEST(tells(measured.verdict(), "ring is ahead of server at 1 worker: 26.3 times"));
  BOOST_TEST(tells(measured.verdict(), "; cell 3 exchanges nothing."));
}

BOOST_AUTO_TEST_CASE(of_several_leads_with_most_workers_the_strongest_is_named) {
  Measured measured;
  measured.experiment.axes.insert(measured.experiment.axes.begin(),
                                  {"network", {{"small", {}}, {"large", {}}}});
  const std::vector<Cell> cells = measured.cells;
  for (const Cell& cell : cells)
    measured.cells.push_back(cell);
  measured.outcomes.assign(8, {});
  for (std::size_t i = 0; i < 8; ++i) {
    auto& values = measured.cells[i].values;
    values.insert(values.begin(), i < 4 ? "small" : "large");
    measured.cells[i].number = static_cast<int>(i) + 1;
  }
  for (const std::size_t cell : {0U, 1U, 4U, 5U})
    measured.set(cell, 10, 0.001);
  for (const auto& [cell, speed] : {std::pair(2U, 50.0), {3U, 20.0}, {6U, 12.0}, {7U, 30.0}})
    measured.set(cell, speed, 0.001);
  BOOST_TEST(tells(
      measured.verdict(),
      "ring is ahead of server in all 4 comparisons, of those with 2 workers most with large: "
      "3.00 times"));
}

BOOST_AUTO_TEST_CASE(servers_are_compared_with_their_neighbours_and_workers_as_many) {
  Measured measured;
  measured.experiment.axes = {{"servers", {}}};
  measured.cells.assign(5, measured.cells[1]);
  const char* const names[] = {"1", "2", "3", "4", "none"};
  for (std::size_t i = 0; i < 5; ++i) {
    measured.cells[i].values = {names[i]};
    measured.cells[i].job.worker.replicas = 4;
    measured.experiment.axes[0].values.push_back(
        {names[i], {{"spec.server.replicas", MeasuredExperiment::number(names[i])}}});
  }
  measured.experiment.axes[0].values[4].settings = {{"spec.server", {}},
                                                    {"spec.worker.replicas", {}}};
  measured.cells[4].job.worker.replicas = 1;
  measured.cells[4].job.strategy.method = ExchangeMethod::kDecentralized;
  measured.outcomes.assign(5, {});
  for (const auto& [cell, speed] :
       {std::pair(0U, 10.0), {1U, 10.01}, {2U, 15.0}, {3U, 20.0}, {4U, 40.0}})
    measured.set(cell, speed, 0.01);
  const Verdict verdict = measured.verdict();
  BOOST_TEST(verdict.sentences.size() == 4U);
  BOOST_TEST(verdict.sentences[0].starts_with("4 servers are ahead of 1 server: 2.00 times"));
  BOOST_TEST(tells(verdict, "3 servers are ahead of 2 servers: 1.50"));
  BOOST_TEST(tells(verdict, "No difference can be told between 1 server and 2 servers"));
  BOOST_TEST(!tells(verdict, "none"));
  BOOST_TEST(verdict.basis.starts_with("4 pairs of cells"));
}

BOOST_AUTO_TEST_CASE(cells_with_other_numbers_of_workers_are_named_with_them) {
  Measured measured;
  measured.experiment.axes.pop_back();
  measured.cells = {measured.cells[0], measured.cells[3]};
  for (Cell& cell : measured.cells)
    cell.values.pop_back();
  measured.outcomes.assign(2, {});
  measured.set(0, 10, 0.01);
  measured.set(1, 20, 0.01);
  BOOST_TEST(
      tells(measured.verdict(), "ring (2 workers) is ahead of server (1 worker): 2.00 times"));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_told_keeps_a_place) {
  Measured measured;
  measured.experiment.axes = {{"a", {}}};
  measured.cells.resize(1);
  measured.cells.resize(5, measured.cells[0]);
  for (std::size_t i = 0; i < 5; ++i) {
    measured.experiment.axes[0].values.push_back({std::to_string(i), {}});
    measured.cells[i].values = {std::to_string(i)};
  }
  measured.outcomes.assign(5, {});
  for (std::size_t i = 0; i < 5; ++i)
    measured.set(i, i == 1 ? 10 : 10.0 * static_cast<double>(i + 1), 0.001);
  const Verdict verdict = measured.verdict();
  BOOST_TEST(verdict.sentences.size() == 5U);
  BOOST_TEST(verdict.sentences[4].starts_with("No difference can be told between a=0 and a=1"));
}

BOOST_AUTO_TEST_CASE(ratios_have_digits_that_mean_something) {
  Measured measured;
  measured.set(0, 10, 0.5);
  measured.set(2, 10, 0.5);
  for (const std::size_t cell : {0U, 2U})
    measured.outcomes[cell].runs.pop_back();
  BOOST_TEST(tells(measured.verdict(), "the ratio is 0.015 to 65.16."));
  measured.set(0, 10, 0.9);
  measured.set(2, 10, 0.9);
  for (const std::size_t cell : {0U, 2U})
    measured.outcomes[cell].runs.pop_back();
  BOOST_TEST(tells(measured.verdict(), "the ratio is less than 0.0001 to more than 10000."),
             measured.verdict().sentences[0]);
}

BOOST_AUTO_TEST_CASE(what_restarts_cost_comes_first) {
  Measured measured;
  measured.set(0, 10, 0.01);
  measured.outcomes[0].runs[0].scale = {{}, {{1, 1, 1, 2, 0.11}, {2, 2, 2, 4, 0.27}}, "", {}};
  BOOST_TEST(measured.verdict().sentences[0] ==
             "2 restarts with another number of workers cost 0.11 s to 0.27 s each.");
}

BOOST_AUTO_TEST_CASE(a_close_lead_is_told_with_the_digits_that_show_it) {
  Measured measured;
  measured.set(0, 10, 0.00001);
  measured.set(2, 10.01, 0.00001);
  BOOST_TEST(tells(measured.verdict(), "1.0010 times the samples a second, 95 % interval 1.000"));
}

BOOST_AUTO_TEST_CASE(values_are_called_as_people_call_them) {
  const auto number = [](const char* text) {
    yaml::Node node;
    node.text = text;
    return node;
  };
  const Axis workers{"size",
                     {{"1", {{"spec.worker.replicas", number("1")}}},
                      {"8", {{"spec.worker.replicas", number("8")}}},
                      {"9", {{"spec.worker.replicas", number("3")}}}}};
  BOOST_TEST(valueText(workers, "9") == "size=9");  // named after something else
  BOOST_TEST(valueText(workers, "1") == "1 worker");
  BOOST_TEST(valueText(workers, "8") == "8 workers");
  BOOST_TEST(valueText({"server.replicas", {{"2", {{"spec.server.replicas", {}}}}}}, "2") ==
             "server.replicas=2");
  const Axis servers{"servers",
                     {{"1", {{"spec.server.replicas", number("1")}}},
                      {"4", {{"spec.server.replicas", number("4")}}},
                      {"none", {{"spec.server", {}}}}}};
  BOOST_TEST(valueText(servers, "1") == "1 server");
  BOOST_TEST(valueText(servers, "4") == "4 servers");
  BOOST_TEST(valueText(servers, "none") == "none");
  BOOST_TEST(valueText({"link", {{"1 Gbit/s", {}}}}, "1 Gbit/s") == "1 Gbit/s");
  const Axis algorithm{"strategy.algorithm", {{"ring", {{"spec.strategy.algorithm", {}}}}}};
  BOOST_TEST(valueText(algorithm, "ring") == "ring");
  BOOST_TEST(valueText({"training.x", {{"true", {{"spec.training.x", {}}}}}}, "true") ==
             "training.x=true");
  BOOST_TEST(linkText({std::nullopt, false}) == "loopback");
  BOOST_TEST(linkText({100'000'000, false}) == "100 Mbit/s");
  BOOST_TEST(linkText({1'000'000'000, false}) == "1 Gbit/s");
  BOOST_TEST(linkText({2'500'000'000, false}) == "2.5 Gbit/s");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::experiment::verdict_test
