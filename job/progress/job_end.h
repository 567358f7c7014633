#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/core/exit_code.h"
#include "base/core/step.h"
#include "base/core/wall_time.h"

namespace sumac {

/// How an attempt of a job ended that did not succeed: the last line of metrics.jsonl, and
/// result.json. docs/results.md explains each field. A value type.
struct JobEnd {
  enum class State { kFailed, kStopped };

  std::string job;  // its name; empty: not known
  ExitCode code = ExitCode::kFailed;
  Step step = 0;  // the last one that is known to be done
  std::string message;
  std::optional<WallTime> ended = {};

  /// A job that was asked to stop has not failed.
  State state() const;
};
std::string_view toString(JobEnd::State state);

/// On one line with "event" first, as metrics.jsonl has it.
std::string toLine(const JobEnd& end);

/// Indented: result.json.
std::string toFile(const JobEnd& end);

}  // namespace sumac
