// Writes pages of synthetic experiments and plans, for tests/page/page_test.py and for people who
// change the pages: sample_pages FOLDER
#include <cstdio>
#include <filesystem>

#include "base/core/bytes.h"
#include "base/core/file.h"
#include "base/report/html.h"
#include "planner/report/plan_report.h"
#include "tests/page/plan_study.h"
#include "tests/page/study.h"

#include "experiment/page/charts.h"
#include "experiment/page/page.h"

namespace {

using sumac::experiment::Study;

bool write(const std::filesystem::path& path, const std::string& text) {
  const auto written = sumac::replaceFile(path, sumac::asBytes(text));
  if (!written) std::fprintf(stderr, "sample_pages: %s\n", written.error().message.c_str());
  return written.has_value();
}

bool writeStudy(const std::filesystem::path& folder, const std::string& name, const Study& study,
                bool is_complete) {
  for (const auto& [file, drawing] : allPictures(study.findings())) {
    if (!write(folder / (name + "-" + file + ".svg"), sumac::report::svgFile(drawing)))
      return false;
  }
  return write(folder / (name + ".html"), reportPage(study.findings(), study.origin, is_complete));
}

bool writePlan(const std::filesystem::path& folder, const std::string& name,
               const sumac::planner::Advice& advice) {
  return write(folder / ("plan-" + name + ".html"),
               toPage(planReport(advice, sumac::planner::sampleOrigin())));
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
      writeStudy(folder, "large", sumac::experiment::largeStudy(), true) &&
      writeStudy(folder, "hostile", sumac::experiment::hostileStudy(), false) &&
      writeStudy(folder, "scaled", sumac::experiment::scaledStudy(1), true) &&
      writeStudy(folder, "smallest", sumac::experiment::smallestStudy(), true) &&
      writePlan(folder, "large", sumac::planner::largePlan()) &&
      writePlan(folder, "hostile", sumac::planner::hostilePlan()) &&
      writePlan(folder, "none", sumac::planner::noPlan());
  return is_written ? 0 : 1;
}
