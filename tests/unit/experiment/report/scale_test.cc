#include "experiment/report/scale.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

namespace sumac::experiment::scale_test {
namespace {

struct Fixture {
  Fixture() {
    cells[0].number = 1;
    RunFigures run{20, 3, {0.15}};
    run.scale = {{{0, 1, 1, std::nullopt, 2.5}, {1, 1, 11, 10, 2.0}, {2, 2, 12, 1, std::nullopt}},
                 {{0.9, 11, 1, 2, 1}},
                 "abc"};
    outcomes[0].runs = {run};
  }

  std::vector<Cell> cells = std::vector<Cell>(1);
  std::vector<CellOutcome> outcomes = std::vector<CellOutcome>(1);
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(scale_report, Fixture)

BOOST_AUTO_TEST_CASE(csv_has_a_line_for_each_moment) {
  BOOST_TEST(scaleCsv(cells, outcomes) ==
             "cell,run,seconds,workers,step,batchesPerSecond,loss\r\n"
             "1,1,0.0,1,1,,2.5\r\n"
             "1,1,1.0,1,11,10.0,2.0\r\n"
             "1,1,2.0,2,12,1.0,\r\n");
}

BOOST_AUTO_TEST_CASE(the_table_has_the_cost_of_each_restart) {
  BOOST_TEST(scaleTable(cells, outcomes) ==
             "CELL   RUN   FROM     WORKERS   STEPS   BATCHES/S   RESTART\n"
             "1      1     0.00 s   1         1-11    10.0        -\n"
             "1      1     2.00 s   2         12-12   -           1.00 s\n");
}

BOOST_AUTO_TEST_CASE(json_has_phases_and_restarts) {
  const auto json = scaleJson(outcomes[0]);
  const auto& run = json.at("runs").at(0);
  BOOST_TEST(run.at("parametersSha256") == "abc");
  BOOST_TEST(run.at("phases").size() == 2U);
  BOOST_TEST(run.at("phases").at(0).at("batchesPerSecond") == 10);
  BOOST_TEST(run.at("restarts").at(0).at("costSeconds") == 1);
  BOOST_TEST(!run.contains("points"));
}

BOOST_AUTO_TEST_CASE(runs_of_one_size_have_none_of_it) {
  outcomes[0].runs[0].scale.reset();
  BOOST_TEST(scaleJson(outcomes[0]).is_null());
  BOOST_TEST(scaleTable(cells, outcomes) == "");
}

BOOST_AUTO_TEST_CASE(a_script_reads_as_a_sentence) {
  BOOST_TEST(scriptText({{0, 1}, {2.5, 4}}) == "1 worker at 0 s, 4 workers at 2.5 s");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::experiment::scale_test
