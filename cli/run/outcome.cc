#include "cli/run/outcome.h"

#include <ostream>
#include <string>

#include <unistd.h>

#include "base/core/complain.h"
#include "base/core/units.h"
#include "base/terminal/terminal.h"
#include "cli/run/ending.h"
#include "cli/run/failure.h"
#include "cli/run/report.h"

namespace sumac::cli {
namespace {

/// "started again 2 times, changed 3 times while the job trained on"; empty where they were the
/// same all the time.
std::string membersText(const LocalJobResult& ending) {
  std::string text;
  if (ending.restarts > 0) text = "started again " + counted(ending.restarts, "time");
  if (ending.changes > 0) {
    text += (text.empty() ? "" : ", ") + std::string("changed ") + counted(ending.changes, "time") +
            " while the job trained on";
  }
  return text;
}

void keepSizing(const SizingRecord& sizing, const RunFolder& folder, bool is_complete,
                std::ostream& err) {
  if (const auto added = addToResult(folder.output().result(), sizing, is_complete); !added)
    err << "warning: " << added.error().message << std::endl;
}

/// Writes the end of a run that did not succeed, and how it sized itself. A complete result is of
/// an earlier attempt, and stays: this one did not train.
void keepEnd(const JobEnd& end, const RunFolder& folder, const std::optional<SizingRecord>& sizing,
             std::ostream& err) {
  if (folder.output().readResult()) return;
  if (const auto kept = folder.output().writeEnd(end); !kept)
    err << "warning: " << kept.error().message << std::endl;
  if (!sizing) return;
  keepSizing(*sizing, folder, /*is_complete=*/false, err);
  err << "autoscaling: " << sizingText(*sizing, /*is_complete=*/false) << std::endl;
}

}  // namespace

ExitCode showResult(const job::TrainingJob& job, const LocalJobResult& ending,
                    const RunFolder& folder, const std::optional<SizingRecord>& sizing,
                    const RunOptions& options, Streams streams) {
  if (ending.failure)
    streams.err << "warning: the job was complete when " << ending.failure->text() << std::endl;
  const auto result = folder.output().readResult();
  if (!result)
    return complain(streams.err,
                    "the job ended without a usable " + folder.output().result().string() + ": " +
                        result.error().message + "; see the logs beside it",
                    ExitCode::kFailed);
  if (sizing) keepSizing(*sizing, folder, /*is_complete=*/true, streams.err);
  if (!result->unkept.empty()) {
    streams.err << "warning: the checkpoint of the last step was not written: " << result->unkept
                << std::endl;
  }
  streams.out << summary(*result, folder,
                         {.from = ending.first_step,
                          .batch_size = job.training.batch_size,
                          .seconds = ending.seconds,
                          .members = membersText(ending),
                          .sizing = sizing ? sizingText(*sizing, /*is_complete=*/true) : "",
                          .has_program = job.program.has_value()});
  if (options.is_verbose) streams.out << '\n' << timeTable(*result, textStyleOf(STDOUT_FILENO));
  streams.out << std::flush;
  return ExitCode::kDone;
}

ExitCode showEnd(const job::TrainingJob& job, const LocalJobResult& result, const RunFolder& folder,
                 const std::optional<SizingRecord>& sizing, Streams streams) {
  const JobEnd end = endOfRun(job.name, result, folder, SystemWallClock().now());
  keepEnd(end, folder, sizing, streams.err);
  if (result.failure) {
    explainFailure(result, folder, streams.err);
  } else {
    explainStop(result, streams.err);
  }
  const auto code = result.code;
  const bool is_refusal = code == ExitCode::kUsage || code == ExitCode::kBadConfiguration;
  // Data that are read while the job trains may turn out to be damaged.
  if (!is_refusal || result.last_step > 0) sayHowToResume(end, folder, job, streams.err);
  return code;
}

}  // namespace sumac::cli
