// Writes pages of synthetic experiments and plans, for tests/page/page_test.py and for people who
// change the pages: sample_pages FOLDER
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "base/core/bytes.h"
#include "base/core/file.h"
#include "base/core/units.h"
#include "base/report/html.h"
#include "job/progress/curve_svg.h"
#include "planner/report/plan_report.h"
#include "tests/page/plan_study.h"
#include "tests/page/study.h"

#include "experiment/report/experiment_report.h"

namespace {

using sumac::experiment::Study;

bool write(const std::filesystem::path& path, const std::string& text) {
  const auto written = sumac::replaceFile(path, sumac::asBytes(text));
  if (!written) std::fprintf(stderr, "sample_pages: %s\n", written.error().message.c_str());
  return written.has_value();
}

bool writeStudy(const std::filesystem::path& folder, const std::string& name, const Study& study,
                bool is_complete) {
  const auto answer = experimentReport(study.findings(), study.origin, is_complete);
  for (const auto& [file, drawing] : answer.pictures) {
    if (!write(folder / (name + "-" + file + ".svg"), sumac::report::svgFile(drawing)))
      return false;
  }
  return write(folder / (name + ".html"), sumac::report::toPage(answer.report));
}

bool writePlan(const std::filesystem::path& folder, const std::string& name,
               const sumac::planner::Advice& advice) {
  return write(folder / ("plan-" + name + ".html"),
               toPage(planReport(advice, sumac::planner::sampleOrigin())));
}

/// Of text and of images, as long and as short as curves are.
bool writeCurves(const std::filesystem::path& folder) {
  sumac::TrainingCurve images{.title = "images"};
  sumac::TrainingCurve text{.title = "text " + std::string(63, 'x'), .is_validated = true};
  for (sumac::Step step = 1; step <= 2'000; ++step) {
    const auto t = static_cast<double>(step);
    const double noise = 0.2 * std::sin(7 * t) * std::sin(t * t);
    images.loss[step] = 2.3 / (1 + t / 200) + noise / (1 + t / 500);
    if (step % 100 != 0) continue;
    images.test_loss[step] = 2.4 / (1 + t / 220) + 0.05;
    images.accuracy[step] = 1 - 1 / (1 + t / 100);
    text.test_loss[step] = 9 / (1 + t / 400);
    text.perplexity[step] = 10'000 / (1 + t / 40);
  }
  text.loss = images.loss;
  return write(folder / "curve-images.svg", curveSvg(images)) &&
         write(folder / "curve-text.svg", curveSvg(text)) &&
         write(folder / "curve-one.svg", sumac::curveSvg({.title = "one", .loss = {{1, 2.0}}}));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: sample_pages FOLDER\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  const bool is_written =
      writeCurves(folder) && writeStudy(folder, "large", sumac::experiment::largeStudy(), true) &&
      writeStudy(folder, "long", sumac::experiment::longStudy(), true) &&
      writeStudy(folder, "hostile", sumac::experiment::hostileStudy(), false) &&
      writeStudy(folder, "scaled", sumac::experiment::scaledStudy(1), true) &&
      writeStudy(folder, "smallest", sumac::experiment::smallestStudy(), true) &&
      writePlan(folder, "large", sumac::planner::largePlan()) &&
      writePlan(folder, "hostile", sumac::planner::hostilePlan()) &&
      writePlan(folder, "none", sumac::planner::noPlan());
  return is_written ? 0 : 1;
}
