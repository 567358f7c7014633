#include "experiment/report/scale.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"

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
  test::checkGolden("experiment/report/scale.csv", scaleCsv(cells, outcomes));
}

BOOST_AUTO_TEST_CASE(a_script_reads_as_a_sentence) {
  BOOST_TEST(scriptText({{0, 1}, {2.5, 4}}) == "1 worker at 0 s, 4 workers at 2.5 s");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::experiment::scale_test
