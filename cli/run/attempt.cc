#include "cli/run/attempt.h"

#include <system_error>
#include <utility>
#include <variant>

#include "base/core/file.h"

namespace sumac::cli {
namespace {

/// Whether the event comes from a member that trains.
bool isOfTraining(const JobEvent& event) {
  return !std::holds_alternative<RosterBegan>(event) &&
         !std::holds_alternative<MembersChanged>(event) && !std::holds_alternative<Ended>(event);
}

std::optional<JobResult> resultIn(const RunFolder& folder) {
  auto result = folder.output().readResult();
  if (!result) return std::nullopt;
  return *std::move(result);
}

}  // namespace

Attempt::Attempt(RunFolder folder, std::filesystem::path job, std::optional<JobResult> earlier)
    : folder_(std::move(folder)), job_(std::move(job)), earlier_(std::move(earlier)) {}

Result<Attempt> Attempt::prepare(RunFolder folder, const std::string& document) {
  const auto before = readTextFile(folder.job(), RunFolder::kMaxJobBytes);
  const bool is_other = before && *before != document;
  std::filesystem::path job = is_other ? folder.nextJob() : folder.job();
  if (!before || is_other) {
    if (const auto written = replaceFile(job, asBytes(document)); !written) return written.error();
  }
  auto earlier = resultIn(folder);
  return Attempt(std::move(folder), std::move(job), std::move(earlier));
}

void Attempt::onEvent(const JobEvent& event, TimePoint /*now*/) {
  if (job_ == folder_.job() || !isOfTraining(event)) return;
  std::error_code failure;
  std::filesystem::rename(job_, folder_.job(), failure);
  job_ = folder_.job();
  if (failure) {
    kept_ = Error{errorCodeOf(failure),
                  "cannot replace " + folder_.job().string() + ": " + failure.message()};
  }
}

Result<void> Attempt::end() const {
  std::error_code ignored;
  std::filesystem::remove(folder_.nextJob(), ignored);
  return kept_;
}

std::optional<JobResult> Attempt::result() const {
  auto result = resultIn(folder_);
  if (result == earlier_) return std::nullopt;
  return result;
}

}  // namespace sumac::cli
