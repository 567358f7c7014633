#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/core/wall_time.h"
#include "base/report/text.h"
#include "cli/cluster/fetch.h"

namespace sumac::cli {

/// An event about the job or one of its pods.
struct EventLine {
  std::optional<WallTime> last;
  std::string type;
  std::string reason;
  std::string object;  // "Pod/lenet5-worker-0"
  std::string message;
  std::int64_t count = 1;
};

/// Everything `describe` shows; a part that could not be read has the reason instead.
struct Description {
  FetchedJob job;
  std::vector<api::Pod> pods;
  std::string pods_problem;
  std::vector<EventLine> events;  // oldest first
  std::string events_problem;
};

/// The whole text. `program` is how we are called.
std::string describeText(const Description& description, WallTime now, const std::string& program,
                         const report::TextStyle& style = {});

/// Reads core and events.k8s.io forms, whatever is missing.
EventLine eventLine(const nlohmann::json& event);

/// One word for a pod, as kubectl's STATUS column: "Running", "ImagePullBackOff", "Error".
std::string podStatus(const api::Pod& pod);

}  // namespace sumac::cli
