#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/core/clock.h"
#include "base/core/wall_time.h"
#include "base/log/log.h"
#include "kube/client/events.h"
#include "kube/client/transport.h"

namespace sumac::kube {

struct EventOptions {
  std::string component = "sumac-operator";
  std::string instance;                         // of several operators: the pod's name
  double per_second = 10;                       // requests, apart from the bucket of all others
  int burst = 50;                               // in a row
  std::size_t queue = 1000;                     // notes that wait in a lane; more are dropped
  Duration timeout = std::chrono::seconds(10);  // of one request
  Duration drain = std::chrono::seconds(2);     // for what waits when the recorder ends
};

struct EventCounts {
  std::uint64_t sent = 0;     // requests that succeeded
  std::uint64_t merged = 0;   // notes that only raised a count
  std::uint64_t dropped = 0;  // the queue was full, or the time to drain over
  std::uint64_t failed = 0;   // the API server refused them or was away
};

/// Events as core/v1 objects. Its destruction sends what waits, for `drain` at most. Events of
/// namespaces whose requests take a second or longer, perhaps because of a webhook, are sent by a
/// thread of their own: such a namespace delays others once, for `timeout` at most.
class EventRecorder : public EventSink {
 public:
  virtual EventCounts counts() const = 0;
};

/// `transport` and the clocks outlive the recorder. `clock` paces, `wall_clock` stamps.
std::unique_ptr<EventRecorder> startEventRecorder(Transport& transport, const EventOptions& options,
                                                  const Clock& clock, const WallClock& wall_clock,
                                                  const Log& log);

}  // namespace sumac::kube
