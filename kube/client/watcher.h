#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/core/clock.h"
#include "base/log/log.h"
#include "kube/client/client.h"

namespace sumac::kube {

/// Takes what a watcher sees, on the watcher's thread. Objects are passed as they came; keep little
/// of them.
class Sink {
 public:
  virtual ~Sink() = default;

  /// A list begins; until replaceEnd() the items come through upsert(). What was known before and
  /// does not come is gone: the sink makes its deletes itself.
  /// May come again before replaceEnd(), when a list broke off: it then starts over.
  virtual void replaceBegin() = 0;
  virtual void upsert(const nlohmann::json& object) = 0;
  virtual void replaceEnd() = 0;
  virtual void remove(const nlohmann::json& last_state) = 0;
  /// We may not list, and so do not know what is there (WatchOptions::forbidden_pause).
  virtual void forbid(const std::string& /*why*/) {}
};

struct WatchOptions {
  Resource resource;
  std::string name_space;  // empty: all
  std::string label_selector;
  std::string field_selector;
  Duration idle = std::chrono::seconds(100);  // longer silence: the connection is taken for dead
  /// Of what can be done without: where the list is forbidden the sink is told, nothing is logged,
  /// and it is tried again after so long. 0: that is a failure like others.
  Duration forbidden_pause{};
  Sleep sleep = sleepFor;
  Jitter jitter = jitterFrom(0);  // of waits and of the watch's length; main seeds it
};

/// What a watcher has seen so far, for metrics.
struct WatchCounts {
  std::uint64_t events = 0;
  std::uint64_t lists = 0;  // complete ones
  std::uint64_t watches = 0;
  std::uint64_t expired = 0;    // 410, either way
  std::uint64_t malformed = 0;  // lines that were not watch events
};

/// Keeps a sink up to date with one list: list, watch from its resourceVersion, bookmarks, list
/// again after 410, back-off (docs/design/kubernetes-client.md#list-and-watch). Runs on its own
/// thread from start() until its destruction.
class Watcher {
 public:
  virtual ~Watcher() = default;

  /// True once the first list is complete; never false again: a server that is away does not make
  /// the cache wrong, only old.
  virtual bool hasSynced() const = 0;
  /// When the thread was last seen to advance (an event, a bookmark, an attempt): for liveness. A
  /// healthy thread may stand still for about six minutes: a list that is tried five times, or put
  /// off by a busy server.
  virtual TimePoint lastAdvance() const = 0;
  virtual WatchCounts counts() const { return {}; }
};

/// `transport`, `client`, `sink` and `clock` outlive the watcher.
std::unique_ptr<Watcher> startWatcher(Transport& transport, Client& client, WatchOptions options,
                                      Sink& sink, const Clock& clock, const Log& log);

}  // namespace sumac::kube
