#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/core/slot.h"
#include "base/core/wall_time.h"

namespace sumac::api {

/// Namespace and name: what finds an object of a known type.
struct ObjectKey {
  std::string name_space;
  std::string name;

  auto operator<=>(const ObjectKey&) const = default;
  std::string text() const { return name_space + "/" + name; }
};

/// Of metadata, what we use. Values of type 3 of the API conventions are kept as text.
struct ObjectMeta {
  ObjectKey key;
  std::string uid;
  std::string resource_version;  // opaque: compared for equality only
  std::int64_t generation = 0;
  std::optional<WallTime> created;
  std::optional<WallTime> deleted;            // set while the object is being deleted
  std::string controller_uid;                 // of the owner that controls it; empty: none
  std::map<std::string, std::string> labels;  // of pods only those under sumac.dev/
};

enum class PodPhase { kPending, kRunning, kSucceeded, kFailed, kUnknown };

/// How the main container ended.
struct Termination {
  int exit_code = 0;
  int signal = 0;
  std::string reason;   // "OOMKilled", "Error", "Completed"
  std::string message;  // what the process wrote into its termination file
  std::optional<WallTime> finished;
};

/// Of a pod only what decisions need: 10,000 of them are kept. Big and never used parts (volumes,
/// environment, managedFields) are dropped when it is read.
struct Pod {
  ObjectMeta meta;
  Slot slot;             // from its labels
  int attempt = 0;       // from its labels
  bool is_ours = false;  // has the labels of a member, and they can be read
  PodPhase phase = PodPhase::kPending;
  std::string reason;  // of the pod: "Evicted", "NodeLost", "UnexpectedAdmissionError"
  std::string message;
  std::string node;
  std::string ip;
  bool is_ready = false;
  bool is_scheduled = false;
  std::string unscheduled_reason;  // PodScheduled=False: "Unschedulable", "SchedulingGated"
  std::string unscheduled_message;
  std::string disruption;  // DisruptionTarget=True: its reason
  // The main container, `sumac`; init containers that fail are reported through waiting.
  std::string waiting_reason;  // "ImagePullBackOff", "CreateContainerConfigError", ...
  std::string waiting_message;
  bool is_running = false;
  std::optional<Termination> terminated;
  std::optional<std::int64_t> grace_seconds;  // deletionGracePeriodSeconds, while being deleted
};

}  // namespace sumac::api
