#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/core/result.h"

namespace sumac::kube {

enum class WatchEventType { kUpsert, kDelete, kBookmark, kError };

/// One line of a watch.
struct WatchEvent {
  WatchEventType type = WatchEventType::kBookmark;
  nlohmann::json object;         // of kError: a Status
  std::string resource_version;  // of the object; empty: of kError
};

/// ADDED and MODIFIED are the same to us. Fails with kInvalid on anything that is not an event with
/// an object and its resourceVersion: then nobody knows what was missed.
Result<WatchEvent> readWatchEvent(std::string_view line);

}  // namespace sumac::kube
