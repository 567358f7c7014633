#pragma once

#include <string>

#include "kube/api/objects.h"

namespace sumac::kube {

/// What an event is about.
struct EventTarget {
  std::string api_version;
  std::string kind;
  api::ObjectKey key;
  std::string uid;
};

struct EventNote {
  bool warning = false;
  std::string reason;   // CamelCase
  std::string message;  // cut at 1,024 bytes
};

/// Sends events, on a thread and from a token bucket of its own: it never delays the caller and
/// drops what does not fit (counted). The same (target, reason, message) again raises the count of
/// the event that is there. Safe from any thread.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void emit(const EventTarget& target, const EventNote& note) = 0;
};

}  // namespace sumac::kube
