#include "cli/cluster/story.h"

#include "cli/cluster/failure_text.h"
#include "cli/cluster/job_columns.h"
#include "cli/cluster/progress_text.h"
#include "cli/cluster/time_text.h"
#include "kube/api/reasons.h"

namespace sumac::cli {
namespace {

/// The condition that explains the state: the terminal one that holds, else Restarting, else what
/// stands at Running.
const api::Condition* explanation(const api::JobStatus& status) {
  for (const char* type : {"Failed", "Succeeded", "Suspended", "Restarting"}) {
    if (status.isTrue(type)) return status.find(type);
  }
  return status.find("Running");
}

}  // namespace

std::vector<std::string> Story::onState(const api::TrainingJob& job, WallTime now) {
  std::vector<std::string> lines;
  const api::JobStatus& status = job.status;
  const std::string since = "[" + ageText(begun_, now) + "] ";
  const api::Condition* const why = explanation(status);
  const std::string state = stateOf(job) + (why == nullptr ? "" : "/" + why->reason);
  if (attempt_ && status.attempt > *attempt_) {
    lines.push_back(since + "attempt " + std::to_string(status.attempt));
  }
  attempt_ = status.attempt;
  if (state != told_) {
    told_ = state;
    std::string line = since + stateOf(job);
    if (why != nullptr && !why->message.empty()) line += ": " + oneLine(why->message);
    lines.push_back(line);
  }
  const int tenths = status.progress ? status.progress->percentage() / 10 : 0;
  if (has_progress_ && tenths > tenths_ && !status.isFinished())
    lines.push_back(since + progressText(*status.progress, now));
  tenths_ = tenths;
  return lines;
}

std::optional<ExitCode> endOf(const api::JobStatus& status) {
  if (status.isTrue("Succeeded")) return ExitCode::kDone;
  if (!status.isTrue("Failed")) return std::nullopt;
  const std::string& reason = status.find("Failed")->reason;
  return reason == api::reasons::kInvalidSpec || reason == api::reasons::kBadConfiguration
             ? ExitCode::kBadConfiguration
             : ExitCode::kFailed;
}

std::string resultText(const JobResult& result) {
  std::string text = std::to_string(result.steps) + " steps";
  const auto add = [&text](const char* name, const std::string& value) {
    if (!value.empty()) text += ", " + std::string(name) + " " + oneLine(value);
  };
  add("loss", decimalText(result.loss));
  add("validation accuracy", decimalText(result.valid_accuracy));
  add("test accuracy", decimalText(result.test_accuracy));
  add("valid perplexity", decimalText(result.valid_perplexity));
  add("test perplexity", decimalText(result.test_perplexity));
  add("model", result.model_path);
  return text;
}

}  // namespace sumac::cli
