#include <algorithm>

#include <boost/test/unit_test.hpp>

#include "base/report/html.h"
#include "base/report/text.h"
#include "base/report/values.h"
#include "tests/page/study.h"
#include "tests/support/golden.h"
#include "tests/unit/experiment/findings/outcomes.h"

#include "experiment/report/cell_table.h"
#include "experiment/report/experiment_report.h"

namespace sumac::experiment::outputs_test {
namespace {

report::Report reportOf(const Study& study) {
  return experimentReport(study.findings(), study.origin, /*is_complete=*/true).report;
}

/// What a terminal of so many columns shows.
std::string terminalOf(const Study& study, int columns = 0) {
  return report::toText(reportOf(study), {.columns = columns});
}

std::string jsonOf(const Study& study, bool is_complete = true) {
  return resultsJson(study.findings(), study.origin, is_complete);
}

/// A page without its styles.
std::string pageOf(const Study& study) {
  std::string page = report::toPage(reportOf(study));
  const auto begin = page.find("<style>");
  return page.erase(begin, page.find("</style>") - begin);
}

/// The cells of MeasuredSpeeds with these speeds, as a study.
Study speedsOf(const std::vector<double>& speeds, double spread) {
  MeasuredSpeeds measured;
  measured.setAll(speeds, spread);
  Study study{measured.experiment, measured.cells, measured.outcomes, measured.summaries()};
  return study;
}

Study perplexityStudy() {
  Study study = learningStudy();
  study.experiment.measurement.metric = Metric::kValidationPerplexity;
  for (CellOutcome& outcome : study.outcomes) {
    for (RunFigures& run : outcome.runs) {
      auto& scores = run.learned.scores;
      scores = {{Score::kLoss, scores.at(Score::kLoss)},
                {Score::kValidPerplexity, 100 / scores.at(Score::kValidAccuracy)},
                {Score::kTestPerplexity, 100 / scores.at(Score::kTestAccuracy)}};
    }
  }
  study.summaries = summarize(study.experiment, study.cells, study.outcomes);
  return study;
}

Study uselessStudy() {
  Study study = learningStudy();
  for (CellOutcome& outcome : study.outcomes) {
    for (RunFigures& run : outcome.runs)
      run.learned.scores = {{Score::kValidAccuracy, 0}};
  }
  study.summaries = summarize(study.experiment, study.cells, study.outcomes);
  return study;
}

std::size_t widest(const std::string& text) {
  std::size_t most = 0;
  std::size_t width = 0;
  for (const char c : text) {
    width = c == '\n' ? 0 : width + ((static_cast<unsigned char>(c) & 0xC0U) == 0x80U ? 0 : 1);
    most = std::max(most, width);
  }
  return most;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(outputs)

BOOST_AUTO_TEST_CASE(answers_on_a_terminal) {
  Study links = speedsOf({10, 10, 15, 20}, 0.01);
  for (const std::size_t ring : {2U, 3U})
    links.cells[ring].job.strategy.method = ExchangeMethod::kDecentralized;
  Study workers = speedsOf({10, 20}, 0.01);
  workers.experiment.axes.pop_back();
  workers.cells.resize(2);
  workers.outcomes.resize(2);
  workers.cells[0].values = {"server"};
  workers.cells[1].values = {"ring"};
  workers.summaries = summarize(workers.experiment, workers.cells, workers.outcomes);
  Study stray = speedsOf({10, 10, 10, 10}, 0.1);
  stray.outcomes[1].runs[2] = stray.outcomes[0].runs[2] = MeasuredExperiment::run(30);
  stray.experiment.measurement.stop = StopRule{0.05, 6};
  stray.summaries = summarize(stray.experiment, stray.cells, stray.outcomes);
  links.summaries = summarize(links.experiment, links.cells, links.outcomes);

  test::Transcript shown;
  for (const auto& [name, study] :
       {std::pair("a large one", largeStudy()),
        {"servers, predictions, a failed cell", mixedStudy()},
        {"a job that grows and shrinks", scaledStudy(2)},
        {"one run", smallestStudy()},
        {"hostile names", hostileStudy()},
        {"one of two rings exchanges nothing", links},
        {"other workers, too", workers},
        {"no difference, and some runs would tell", speedsOf({10, 10, 10, 12}, 0.2)},
        {"no difference at all", speedsOf({10, 10, 10, 10}, 0)},
        {"far slower runs", stray},
        {"close speeds", speedsOf({10, 10, 10.01, 10.01}, 0.00001)},
        {"nothing ran", speedsOf({}, 0)},
        {"validation accuracies", learningStudy()},
        {"validation perplexities", perplexityStudy()},
        {"accuracies of 0", uselessStudy()}})
    shown.add(name, terminalOf(study));
  test::checkGolden("experiment/report/terminal.txt", shown.text());
}

BOOST_AUTO_TEST_CASE(narrow_terminals_show_all_of_it) {
  test::Transcript shown;
  for (const int columns : {80, 20}) {
    for (const auto& [name, study] :
         {std::pair("long names", hostileStudy()), {"servers", mixedStudy()}}) {
      const std::string text = terminalOf(study, columns);
      BOOST_TEST(widest(text) <= std::size_t(columns));
      shown.add(name + (" in " + std::to_string(columns)) + " columns", text);
    }
  }
  test::checkGolden("experiment/report/narrow.txt", shown.text());
}

BOOST_AUTO_TEST_CASE(pages) {
  test::checkGolden("experiment/report/mixed.html", pageOf(mixedStudy()));
  test::checkGolden("experiment/report/cluster.html", pageOf(clusterStudy()));
  test::checkGolden("experiment/report/learning.html", pageOf(learningStudy()));
}

BOOST_AUTO_TEST_CASE(files_for_programs) {
  test::Transcript csv;
  for (const auto& [name, study] : {std::pair("large", largeStudy()),
                                    {"hostile", hostileStudy()},
                                    {"scaled", scaledStudy(2)},
                                    {"mixed", mixedStudy()},
                                    {"learning", learningStudy()}})
    csv.add(name, report::toCsv(resultTable(study.findings())));
  test::checkGolden("experiment/report/cells.csv", csv.text());
  test::checkGolden("experiment/report/results-mixed.json", jsonOf(mixedStudy()));
  test::checkGolden("experiment/report/results-hostile.json", jsonOf(hostileStudy(), false));
  test::checkGolden("experiment/report/results-scaled.json", jsonOf(scaledStudy(2)));
  test::checkGolden("experiment/report/results-cluster.json", jsonOf(clusterStudy()));
  test::checkGolden("experiment/report/results-learning.json", jsonOf(learningStudy()));
}

BOOST_AUTO_TEST_CASE(a_run_over_time_has_a_line_for_each_moment) {
  Study study = smallestStudy();
  study.outcomes[0].runs[0].scale = {
      {{0, 1, 1, std::nullopt, 2.5}, {1, 1, 11, 10, 2.0}, {2, 2, 12, 1, std::nullopt}},
      {{0.9, 11, 1, 2, 1}},
      "abc"};
  test::checkGolden("experiment/report/scale.csv", scaleCsv(study.cells, study.outcomes));
}

BOOST_AUTO_TEST_CASE(a_dry_run_lists_the_cells) {
  test::Transcript shown;
  const auto add = [&shown](const char* name, const MeasuredExperiment& measured,
                            const std::vector<std::optional<double>>& predicted = {}) {
    shown.add(name, report::toText(planTable(measured.experiment, measured.cells, predicted), {}));
  };
  MeasuredExperiment measured;
  add("two axes", measured);
  add("predictions, in the unit of the results", measured, {812.34, {}, 10.25, 1});
  measured.cells[3].conditions = {1'000'000'000, true, 10};
  add("links and emulated computing", measured);
  measured.experiment.axes[0].values[0].settings = {{"link.rate", {}}};
  add("an axis of links", measured);
  measured.experiment.axes[0].name = "servers";
  measured.experiment.axes[1].name = "size";
  add("axes called servers and size", measured);
  test::checkGolden("experiment/report/plan.txt", shown.text());
}

BOOST_AUTO_TEST_CASE(predictions_say_what_they_rest_on) {
  PredictionBasis basis{.disturbed = {"a.json: TEXT"}, .why_not = {"TEXT"}, .cell = 3};
  test::Transcript said;
  const auto add = [&](const char* name) {
    for (const std::string& note : predictionNotes(basis))
      said.add(name, note);
  };
  for (int why = 0; why <= static_cast<int>(NotFitted::kFreeBytes); ++why) {
    basis.not_fitted = static_cast<NotFitted>(why);
    add("not fitted");
    basis.disturbed.clear();
    basis.why_not.clear();
  }
  basis = {};
  basis.fit.emplace().residuals = {0.012, -0.0005};
  basis.fit->costs.step = 412e-6;
  basis.fit->costs.crowding = 0.123;
  basis.fit->costs.exchange_factor = 1.5;
  add("fitted");
  test::checkGolden("experiment/report/predictions.txt", said.text());
}

BOOST_AUTO_TEST_CASE(no_two_columns_for_programs_have_one_name) {
  Study study = mixedStudy();
  study.experiment.axes[0].name = "slowdown";
  study.experiment.axes[1].name = "cell";
  BOOST_TEST(report::toCsv(resultTable(study.findings()))
                 .starts_with("cell,axis.slowdown,axis.cell,data.name,workers,"));
}

BOOST_AUTO_TEST_CASE(cells_that_ran_beside_other_work_are_named) {
  Study study = speedsOf({100, 200}, 0.01);
  const auto names = [&study](double share) {
    study.outcomes[1].runs.front().lacking_cores = 0.01;
    study.outcomes[1].runs.back().lacking_cores = share;
    study.summaries = summarize(study.experiment, study.cells, study.outcomes);
    return terminalOf(study).find("Beside cell 2") != std::string::npos;
  };
  BOOST_TEST(names(0.95));
  BOOST_TEST(!names(0.05));
  BOOST_TEST(jsonOf(study).find(R"("lackingCores": 0.05)") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::experiment::outputs_test
