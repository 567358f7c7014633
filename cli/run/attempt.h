#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/core/result.h"
#include "cli/run/folder.h"
#include "cli/run/job_observer.h"
#include "job/progress/job_result.h"

namespace sumac::cli {

/// One attempt to train in a run's folder. An attempt that ends before its first step, as with a
/// mistyped --set, changes neither job.yaml nor the result of an earlier attempt: only an attempt
/// that trains puts its own job in the place of job.yaml.
class Attempt final : public JobObserver {
 public:
  /// Writes the document for the members. Fails if the folder cannot be written.
  static Result<Attempt> prepare(RunFolder folder, const std::string& document);

  /// What the members read.
  const std::filesystem::path& job() const { return job_; }

  void onEvent(const JobEvent& event, TimePoint now) override;
  std::optional<TimePoint> stopAt() const override { return std::nullopt; }

  /// Drops the document of an attempt that did not train. Fails if job.yaml could not be replaced
  /// by that of one which did.
  Result<void> end() const;

  /// The result that this attempt wrote; nothing where it is not complete, or result.json is that
  /// of an earlier one.
  std::optional<JobResult> result() const;

 private:
  Attempt(RunFolder folder, std::filesystem::path job, std::optional<JobResult> earlier);

  RunFolder folder_;
  std::filesystem::path job_;
  std::optional<JobResult> earlier_;
  Result<void> kept_ = {};
};

}  // namespace sumac::cli
