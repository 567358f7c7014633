#include "cli/compare/compare.h"

#include <algorithm>
#include <string>

#include "base/core/complain.h"
#include "base/core/file.h"
#include "base/report/html.h"
#include "cli/compare/comparison.h"

namespace sumac::cli {
namespace {

/// Folders of the same name in different places are told apart by the whole path.
void nameApart(const std::vector<std::filesystem::path>& folders, std::vector<RunRecord>& runs) {
  std::vector<std::string> names;
  for (const RunRecord& run : runs)
    names.push_back(run.name);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (std::ranges::count(names, names[i]) > 1) runs[i].name = folders[i].string();
  }
}

}  // namespace

ExitCode compareRuns(const CompareOptions& options, std::ostream& out, std::ostream& err) {
  std::vector<RunRecord> runs;
  for (const auto& folder : options.runs) {
    auto run = readRun(folder);
    if (!run) return complain(err, run.error().message, ExitCode::kBadConfiguration);
    runs.push_back(*std::move(run));
  }
  nameApart(options.runs, runs);
  const auto report = comparisonOf(runs);
  if (!report) return complain(err, report.error().message, ExitCode::kBadConfiguration);
  out << report::toText(*report, options.style) << std::flush;
  if (options.page.empty()) return ExitCode::kDone;
  const std::string page = toPage(*report);
  if (const auto written = replaceFile(options.page, asBytes(page)); !written)
    return complain(err, written.error().message, ExitCode::kResourceFailed);
  err << options.page.string() << " has the curves." << std::endl;
  return ExitCode::kDone;
}

}  // namespace sumac::cli
