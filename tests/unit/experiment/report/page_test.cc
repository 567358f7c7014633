#include <algorithm>
#include <set>

#include <boost/test/unit_test.hpp>

#include "base/report/html.h"
#include "tests/page/study.h"

#include "experiment/report/charts.h"
#include "experiment/report/experiment_report.h"

namespace sumac::experiment::page_test {
namespace {

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

using Names = std::set<std::string>;

Names namesOf(const std::vector<Picture>& pictures) {
  Names names;
  for (const Picture& picture : pictures)
    names.insert(picture.name);
  return names;
}

ExperimentReport answerOf(const Study& study, bool is_complete = true) {
  return experimentReport(study.findings(), study.origin, is_complete);
}

std::vector<Picture> picturesOf(const Study& study) {
  return answerOf(study).pictures;
}

/// The texts of a picture that name bars or lines, without muted ones and the title. Lines that
/// follow each other are one name.
std::vector<std::string> labelsOf(const std::string& content) {
  std::vector<std::string> labels;
  std::size_t next = content.npos;  // after the last label
  for (auto at = content.find("<text"); at != content.npos; at = content.find("<text", at + 1)) {
    const auto end = content.find('>', at);
    const std::string head = content.substr(at, end - at);
    const bool goes_on = at == next;
    if (has(head, "muted") || has(head, "title")) continue;
    const std::string text = content.substr(end + 1, content.find("</text>", end) - end - 1);
    next = content.find("</text>", end) + std::string_view("</text>\n").size();
    if (goes_on) {
      labels.back() += " " + text;
    } else {
      labels.push_back(text);
    }
  }
  return labels;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(experiment_page)

BOOST_AUTO_TEST_CASE(no_two_labels_of_a_picture_are_equal) {
  for (const Study& study : {largeStudy(), longStudy(), mixedStudy(), scaledStudy(3)}) {
    for (const auto& [name, drawing] : picturesOf(study)) {
      auto labels = labelsOf(drawing.content);
      std::ranges::sort(labels);
      const auto pair = std::ranges::adjacent_find(labels);
      BOOST_TEST((pair == labels.end()), name << ": " << *pair);
    }
  }
  const auto pictures = speedPictures(longStudy().findings());
  BOOST_TEST(count(pictures[0].drawing.content, "learningRate=0.01,") == 2U);
  BOOST_TEST(!has(pictures[0].drawing.content, "mnist"));
  BOOST_TEST(count(pictures[0].drawing.content, "wa</text>") == 2U);  // the end is never cut
}

BOOST_AUTO_TEST_CASE(emulated_cells_are_marked_wherever_they_are_shown) {
  const Study study = largeStudy();
  const auto html = report::toPage(answerOf(study).report);
  BOOST_TEST(has(html, "<td class=\"number\">3 <span class=\"badge\">emulated</span></td>"));
  for (const auto& [name, drawing] : picturesOf(study))
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
  const auto pictures = picturesOf(study);
  const auto names = namesOf(pictures);
  for (const char* const name : {"phases", "prediction"}) {
    BOOST_TEST(!names.contains(name), name);
    for (const std::string number : {"-1", "-2"})
      BOOST_TEST(names.contains(name + number), name + number);
  }
  const auto first = std::ranges::find(pictures, "phases-1", &Picture::name);
  BOOST_TEST(first->drawing.title.ends_with(": central"));
  BOOST_TEST(has(first->drawing.content, "100 Mbit/s, 8 workers"));
}

BOOST_AUTO_TEST_CASE(an_axis_of_workers_gives_lines_and_others_bars) {
  const auto large = picturesOf(largeStudy());
  BOOST_TEST((namesOf(large) ==
              Names{"throughput", "batches", "speedup", "efficiency", "phases", "prediction"}));
  BOOST_TEST(has(large[0].drawing.content, "class=\"line s3\""));
  BOOST_TEST(!has(large[0].drawing.content, "line s4"));  // two topologies with two links
  const auto hostile = picturesOf(hostileStudy());
  BOOST_TEST((namesOf(hostile) == Names{"throughput", "batches", "phases"}));
  BOOST_TEST(has(hostile[0].drawing.content, "class=\"bar s0\""));
}

BOOST_AUTO_TEST_CASE(pictures_are_called_as_columns_are) {
  Study study = largeStudy();
  BOOST_TEST(speedPictures(study.findings())[1].drawing.title == "Batches/s");
  study.experiment.batch_size_per_worker = yaml::Node{};
  const auto batches = speedPictures(study.findings())[1];
  BOOST_TEST(batches.name == "worker-batches");
  BOOST_TEST(batches.drawing.title == "Worker batches/s");
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
  const auto html = report::toPage(answerOf(study, false).report);
  BOOST_TEST(!has(html, "<script"));
  BOOST_TEST(!has(html, "<b>axis"));
  BOOST_TEST(!has(html, "\xff"));
  BOOST_TEST(has(html, "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;"));
}

BOOST_AUTO_TEST_CASE(what_is_missing_is_said_first) {
  const Study study = hostileStudy();
  const auto alarmsOf = [](const Study& of, bool is_complete) {
    return answerOf(of, is_complete).report.heading.alarms;
  };
  BOOST_TEST(alarmsOf(study, false).size() == 2U);  // incomplete, and a cell failed
  BOOST_TEST(alarmsOf(study, true).size() == 1U);
  Study failed = smallestStudy();
  failed.summaries[0] = {};
  failed.summaries[0].failure = failed.outcomes[0].failure = "gone";
  BOOST_TEST(alarmsOf(failed, false).size() == 1U);       // the failure explains what is missing
  BOOST_TEST(alarmsOf(largeStudy(), true).size() == 1U);  // emulated
}

BOOST_AUTO_TEST_CASE(slow_lines_are_not_hidden_below_fast_ones) {
  Study study = largeStudy();
  BOOST_TEST(!speedPictures(study.findings())[0].drawing.title.ends_with("logarithmic"));
  study.summaries[0].samples_per_second->mean /= 100;
  const auto pictures = speedPictures(study.findings());
  BOOST_TEST(pictures[0].drawing.title.ends_with("logarithmic"));
  BOOST_TEST(!pictures[2].drawing.title.ends_with("logarithmic"));  // speedup's line is straight
}

BOOST_AUTO_TEST_CASE(fitted_cells_are_marked_in_pictures) {
  Study study = largeStudy();
  study.summaries[0].is_fitted = true;
  study.summaries[2].is_fitted = true;
  const auto picture = predictionPictures(study.findings())[0].drawing.content;
  BOOST_TEST(has(picture, "1 worker (fitted)</text>"));
  BOOST_TEST(has(picture, "4 workers (fitted, emulated)</text>"));
}

BOOST_AUTO_TEST_CASE(a_job_that_grows_and_shrinks_is_shown_over_time) {
  const auto pictures = scalePictures(scaledStudy(1).findings());
  BOOST_REQUIRE(pictures.size() == 4U);
  BOOST_TEST(has(pictures[3].drawing.content, ">2: 2 workers, 1500 steps</text>"));
  for (const auto& [name, drawing] : pictures) {
    if (name == "scale-phases") continue;                // bars
    BOOST_TEST(drawing.content.size() < 20'000U, name);  // however many moments there are
    BOOST_TEST(count(drawing.content, "\"pause\"") == 3U, name);
  }
}

BOOST_AUTO_TEST_CASE(runs_over_time_share_a_picture_while_their_colors_differ) {
  const auto few = scalePictures(scaledStudy(3).findings());
  BOOST_TEST(
      (namesOf(few) == Names{"scale-workers", "scale-throughput", "scale-loss", "scale-phases"}));
  BOOST_TEST(has(few[0].drawing.content, ">run 3</text>"));
  BOOST_TEST(!has(few[0].drawing.content, "\"pause\""));
  BOOST_TEST(namesOf(scalePictures(scaledStudy(7).findings())).contains("scale-workers-1"));
  BOOST_TEST(scalePictures(largeStudy().findings()).empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::experiment::page_test
