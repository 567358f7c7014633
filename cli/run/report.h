#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/core/step.h"
#include "base/report/text.h"
#include "cli/run/folder.h"
#include "job/progress/job_result.h"

namespace sumac::cli {

/// What `sumac run` saw of the training itself. The result is that of the worker which wrote it
/// last, and that one may have come when most was done.
struct RunCourse {
  Step from = 0;  // what the training went on from
  std::int64_t batch_size = 0;
  std::optional<double> seconds = {};  // from the first roster to the end; nothing: not seen
  std::string members = {};            // how they changed; empty: not at all
  std::string sizing = {};             // how it chose their number; empty: it did not
  bool has_program = false;            // the user's: no command of ours can use its model
};

/// The result of a run, a line each: what was learned first, then how, and where the files are.
std::string summary(const JobResult& result, const RunFolder& folder, const RunCourse& course = {});

/// Where the workers' time went as a table: of the first ones, and the mean over all that the
/// result tells of; empty where it tells of none.
std::string timeTable(const JobResult& result, const report::TextStyle& style = {});

}  // namespace sumac::cli
