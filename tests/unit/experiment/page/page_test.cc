#include "experiment/page/page.h"

#include <algorithm>
#include <set>

#include <boost/test/unit_test.hpp>

#include "tests/page/study.h"

#include "experiment/page/charts.h"

namespace sumac::experiment::page_test {
namespace {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::set<std::string> namesOf(const std::vector<Picture>& pictures) {
  std::set<std::string> names;
  for (const Picture& picture : pictures)
    names.insert(picture.name);
  return names;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(experiment_page)

BOOST_AUTO_TEST_CASE(a_page_has_question_verdict_figures_and_command) {
  const Study study = largeStudy();
  const auto html = reportPage(study.findings(), study.origin, true);

  BOOST_TEST(has(html, "<h1>central-or-decentralised</h1>"));
  BOOST_TEST(has(html,
                 "How does the speed depend on strategy.topology (central, decentralised), "
                 "link (100 Mbit/s, 1 Gbit/s) and worker.replicas (1, 2, 4, 8)?"));
  BOOST_TEST(has(html, "decentralised is ahead of central"));
  for (const char* const part :
       {"Samples/s", "Worker batches/s", "Speedup", "Efficiency", "Waiting for sums", "Sent",
        "Predicted", "pairs of cells with the same network", "lab-1, 2 cores of A processor",
        "Linux 6.1", "1.2.3", "seed 7", "100 Mbit/s, 1 Gbit/s for each member", "95 % interval",
        "<pre tabindex=\"0\">sumac experiment study.yaml</pre>", "Network", "Optimizer",
        "sgd, learning rate", "after a pause a link lets 256.0 KiB through at once"})
    BOOST_TEST(has(html, part), part);
  BOOST_TEST(!has(html, "Incomplete"));
}

BOOST_AUTO_TEST_CASE(numbers_of_servers_stand_beside_their_lemma) {
  Study study;
  study.experiment.measurement = {100, 10, 3, std::nullopt, 1};
  study.experiment.axes = {axisOf("server.replicas", {"1", "2"})};
  addCells(study);
  for (std::size_t i = 0; i < study.cells.size(); ++i) {
    study.cells[i].job.server.replicas = static_cast<int>(i) + 1;
    study.cells[i].conditions.link_bits_per_second = 1'000'000'000;
    study.outcomes[i].runs = runsAround(100, 0.01, 3);
  }
  study.summaries = summarize(study.experiment, study.cells, study.outcomes);
  const auto html = reportPage(study.findings(), study.origin, true);
  BOOST_TEST(has(html, "<h2>How many servers</h2>"));
  BOOST_TEST(has(html, "1 server hides the exchange of 1 worker"));

  study.outcomes[1].runs[0].left_on_volume = "runs/a-1-1";
  BOOST_TEST(has(reportPage(study.findings(), study.origin, true), "runs/a-1-1"));
}

BOOST_AUTO_TEST_CASE(emulated_cells_are_marked_wherever_they_are_shown) {
  const Study study = largeStudy();
  const auto html = reportPage(study.findings(), study.origin, true);

  BOOST_TEST(has(html, "<li class=\"alarm\">8 cells emulated</li>"));
  BOOST_TEST(has(html, "<td class=\"number\">3 <span class=\"badge\">emulated</span></td>"));
  for (const auto& [name, drawing] : allPictures(study.findings()))
    BOOST_TEST(has(drawing.content, "emulated)"), name);
  for (const auto& [name, drawing] : speedPictures(study.findings()))
    BOOST_TEST(has(drawing.content, "hollow"), name);
}

BOOST_AUTO_TEST_CASE(bars_that_one_scale_does_not_show_share_no_picture) {
  Study study = largeStudy();
  for (std::size_t i = 0; i < study.cells.size(); ++i) {
    const double times = study.cells[i].values[0] == "central" ? 100 : 1;
    study.summaries[i].phases->sum_wait_seconds *= times;
    study.summaries[i].samples_per_second->mean /= times;
  }
  const auto pictures = allPictures(study.findings());
  const auto names = namesOf(pictures);
  for (const char* const name : {"phases", "prediction"}) {
    BOOST_TEST(!names.contains(name), name);
    for (const std::string number : {"-1", "-2"})
      BOOST_TEST(names.contains(name + number), name + number);
  }
  const auto first = std::ranges::find(pictures, "phases-1", &Picture::name);
  BOOST_TEST(has(first->drawing.content, "goes: central"));
  BOOST_TEST(has(first->drawing.content, "100 Mbit/s, 8 workers"));
}

BOOST_AUTO_TEST_CASE(an_axis_of_workers_gives_lines_and_others_bars) {
  const Study large = largeStudy();
  BOOST_TEST(namesOf(allPictures(large.findings())) ==
                 (std::set<std::string>{"throughput", "worker-batches", "speedup", "efficiency",
                                        "phases", "prediction"}),
             boost::test_tools::per_element());
  BOOST_TEST(has(speedPictures(large.findings())[0].drawing.content, "class=\"line s3\""));

  const Study hostile = hostileStudy();
  BOOST_TEST(namesOf(allPictures(hostile.findings())) ==
                 (std::set<std::string>{"throughput", "worker-batches", "phases"}),
             boost::test_tools::per_element());
  BOOST_TEST(has(speedPictures(hostile.findings())[0].drawing.content, "class=\"bar s0\""));
}

BOOST_AUTO_TEST_CASE(a_series_is_not_cut_where_its_cells_begin_to_be_emulated) {
  const Study study = largeStudy();
  const auto picture = speedPictures(study.findings())[0].drawing.content;
  BOOST_TEST(!has(picture, "line s4"));  // two topologies with two links
}

BOOST_AUTO_TEST_CASE(too_many_series_get_pictures_of_their_own) {
  Study study;
  study.experiment.axes = {axisOf("server.replicas", {"1", "2"}),
                           axisOf("training.threads", {"1", "2", "3", "4"}),
                           axisOf("worker.replicas", {"1", "2"})};
  addCells(study);
  for (std::size_t i = 0; i < study.cells.size(); ++i) {
    study.cells[i].job.worker.replicas = std::stoi(study.cells[i].values[2]);
    study.outcomes[i].runs = runsAround(10, 0, 1);
  }
  study.summaries = summarize(study.experiment, study.cells, study.outcomes);
  const auto names = namesOf(speedPictures(study.findings()));
  BOOST_TEST(names.contains("throughput-1"));
  BOOST_TEST(names.contains("throughput-2"));
  BOOST_TEST(!names.contains("throughput"));
}

BOOST_AUTO_TEST_CASE(names_never_become_markup) {
  const Study study = hostileStudy();
  const auto html = reportPage(study.findings(), study.origin, false);
  BOOST_TEST(!has(html, "<script"));
  BOOST_TEST(!has(html, "<b>axis"));
  BOOST_TEST(!has(html, "\xff"));
  BOOST_TEST(has(html, "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;"));
}

BOOST_AUTO_TEST_CASE(fitted_cells_and_notes_of_predictions_are_shown) {
  Study study = largeStudy();
  study.summaries[0].is_fitted = true;
  study.summaries[2].is_fitted = true;
  study.origin.prediction_notes = "Fitted costs: a step costs 12.0 us.\n";
  const auto html = reportPage(study.findings(), study.origin, true);
  BOOST_TEST(has(html, " % <span class=\"badge\">fitted</span>"));
  BOOST_TEST(has(html, "<p>Fitted costs: a step costs 12.0 us.</p>"));
  const auto picture = predictionPictures(study.findings())[0].drawing.content;
  BOOST_TEST(has(picture, "1 worker (fitted)</text>"));
  BOOST_TEST(has(picture, "4 workers (fitted, emulated)</text>"));

  Study none = smallestStudy();
  none.origin.prediction_notes = "Not predicted: the batch is too large.\n";
  BOOST_TEST(has(reportPage(none.findings(), none.origin, true),
                 "<p>Not predicted: the batch is too large.</p>"));
  BOOST_TEST(!has(reportPage(smallestStudy().findings(), none.origin, true), "half of their 95"));
}

BOOST_AUTO_TEST_CASE(slow_lines_are_not_hidden_below_fast_ones) {
  Study study = largeStudy();
  BOOST_TEST(!has(speedPictures(study.findings())[0].drawing.content, "logarithmic"));
  study.summaries[0].samples_per_second->mean /= 100;
  const auto pictures = speedPictures(study.findings());
  BOOST_TEST(has(pictures[0].drawing.content, ">Samples a second, logarithmic</text>"));
  BOOST_TEST(!has(pictures[2].drawing.content, "logarithmic"));  // the line of speedups is straight
}

BOOST_AUTO_TEST_CASE(what_is_missing_is_said_first) {
  const Study study = hostileStudy();
  const auto html = reportPage(study.findings(), study.origin, false);
  BOOST_TEST(has(html, "<li class=\"alarm\">Incomplete: stopped before all runs were made</li>"));
  BOOST_TEST(has(html, "<li class=\"alarm\">1 cell failed</li>"));
  BOOST_TEST(has(html, "<h2>Failed cells</h2>"));
  BOOST_TEST(has(html, "worker-0 ended"));

  Study failed = largeStudy();
  failed.summaries[0] = {};
  failed.summaries[0].failure = "gone";
  BOOST_TEST(!has(reportPage(failed.findings(), failed.origin, false), "Incomplete"));
}

BOOST_AUTO_TEST_CASE(a_job_that_grows_and_shrinks_is_shown_over_time) {
  const Study study = scaledStudy(1);
  const auto html = reportPage(study.findings(), study.origin, true);
  BOOST_TEST(has(html, "What do speed and loss do with 1 worker at 0 s, 2 workers at 5 s, 4 "));
  for (const char* const part :
       {"<h2>Over time</h2>", "Workers over time", "Samples a second over time",
        "Loss of the training batches over time",
        "<li>3 restarts with another number of workers cost 0.40 s each.</li>",
        "Time of a step by number of workers", "Restart, s", "cell 1, run 1: aaaa",
        "<td class=\"number\">1 to 4</td>", "Batches/s"})
    BOOST_TEST(has(html, part), part);
  BOOST_TEST(!has(html, "orker batches"));  // there is no number of workers to multiply with

  const auto pictures = scalePictures(study.findings());
  BOOST_REQUIRE(pictures.size() == 4U);
  BOOST_TEST(has(pictures[3].drawing.content, ">2 workers, 1500 steps</text>"));
  for (const auto& [name, drawing] : pictures) {
    if (name == "scale-phases") continue;  // bars
    const std::string& content = drawing.content;
    BOOST_TEST(content.size() < 20'000U, name);  // however many moments there are
    std::size_t pauses = 0;
    for (auto at = content.find("\"pause\""); at != content.npos;
         at = content.find("\"pause\"", at + 1))
      ++pauses;
    BOOST_TEST(pauses == 3U, name);
  }
}

BOOST_AUTO_TEST_CASE(runs_over_time_share_a_picture_while_they_can_be_told_apart) {
  const Study few = scaledStudy(3);
  BOOST_TEST(namesOf(scalePictures(few.findings())) ==
                 (std::set<std::string>{"scale-workers", "scale-throughput", "scale-loss",
                                        "scale-phases"}),
             boost::test_tools::per_element());
  BOOST_TEST(has(scalePictures(few.findings())[0].drawing.content, ">run 3</text>"));
  BOOST_TEST(!has(scalePictures(few.findings())[0].drawing.content, "\"pause\""));
  const Study many = scaledStudy(7);
  BOOST_TEST(namesOf(scalePictures(many.findings())).contains("scale-workers-1"));
  BOOST_TEST(scalePictures(largeStudy().findings()).empty());
}

BOOST_AUTO_TEST_CASE(what_a_cluster_measured_names_its_nodes_and_not_this_machine) {
  Study study = smallestStudy();
  study.outcomes[0].runs = runsAround(100, 0.1, 2);
  for (RunFigures& run : study.outcomes[0].runs)
    run.nodes = {{"server-0", "node-a"}, {"worker-0", "node-a"}};
  study.outcomes[0].runs[1].nodes["worker-0"] = "node-b";
  study.origin.nodes = {
      {"node-a", "n2-standard-4", "4", std::uint64_t{16} << 30U, "6.1.0", "amd64"}, {"node-b"}};
  study.origin.cluster = "https://10.0.0.1:6443";
  study.origin.name_space = "research";
  const auto html = reportPage(study.findings(), study.origin, true);
  BOOST_TEST(has(html, "https://10.0.0.1:6443, namespace research"));
  BOOST_TEST(has(html,
                 "node-a (n2-standard-4, 4 CPUs, 16.0 GiB of memory, kernel 6.1.0, amd64); node-b, "
                 "1 run of 2"));
  BOOST_TEST(!has(html, "lab-1"));
  BOOST_TEST(!has(html, "this machine"));
}

BOOST_AUTO_TEST_CASE(one_run_of_one_cell_is_a_page_too) {
  const Study study = smallestStudy();
  const auto html = reportPage(study.findings(), study.origin, true);
  BOOST_TEST(has(html, "How fast is the job?"));
  BOOST_TEST(has(html, "One run each: nothing can be said of the spread."));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::experiment::page_test
