#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/step.h"
#include "common/telemetry/http_answer.h"

namespace sumac::server {

/// How far the job is, as the lowest worker says. A value type.
struct JobProgress {
  Step step = 0;
  Step total_steps = 0;
  std::int64_t epoch = 0;
  double loss = 0;  // not finite: not known
  double samples_per_second = 0;
  bool is_interim = false;  // for /progress only, not for the curve of whoever started the job

  bool operator==(const JobProgress&) const = default;
};

/// The progress in a coordinator's JSON line; nothing when the line is about something else, or is
/// not as workers write it: it came from a peer.
std::optional<JobProgress> progressFromLine(std::string_view json);

/// Of which job the progress is.
struct JobIdentity {
  std::string uid;      // of the TrainingJob; empty where there is none
  std::string attempt;  // a number in Kubernetes
  std::int64_t batch_size = 1;
};

/// What /progress says (docs/metrics.md): 503 while there is nothing to tell.
HttpAnswer progressAnswer(const JobIdentity& job, const std::optional<JobProgress>& progress);

}  // namespace sumac::server
