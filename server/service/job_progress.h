#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/step.h"
#include "common/telemetry/http_answer.h"

namespace sumac::server {

/// How far the job has come, as the lowest worker reports. A value type.
struct JobProgress {
  Step step = 0;
  Step total_steps = 0;
  std::int64_t epoch = 0;
  double loss = 0;  // not finite: unknown
  double samples_per_second = 0;
  bool is_interim = false;  // for /progress only, not for the training curve

  bool operator==(const JobProgress&) const = default;
};

/// Parses a coordinator's JSON line; nothing when the line is about something else or malformed.
/// The line came from a peer and is not trusted.
std::optional<JobProgress> progressFromLine(std::string_view json);

/// Identifies the job in /progress.
struct JobIdentity {
  std::string uid;      // of the TrainingJob; empty outside a cluster
  std::string attempt;  // a number in Kubernetes
  std::int64_t batch_size = 1;
};

/// The answer of /progress (docs/metrics.md): 503 before the first progress.
HttpAnswer progressAnswer(const JobIdentity& job, const std::optional<JobProgress>& progress);

}  // namespace sumac::server
