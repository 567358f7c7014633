#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "common/base/clock.h"
#include "common/log/log.h"
#include "operator/kube/client.h"

namespace sumac::kube {

/// Takes what a watcher sees, on the watcher's thread. Objects are passed as they came; keep little
/// of them.
class Sink {
 public:
  virtual ~Sink() = default;

  /// A list begins; until replaceEnd() the items come through upsert(). What was known before and
  /// does not come is gone: the sink makes its deletes itself.
  virtual void replaceBegin() = 0;
  virtual void upsert(const nlohmann::json& object) = 0;
  virtual void replaceEnd() = 0;
  virtual void remove(const nlohmann::json& last_state) = 0;
};

struct WatchOptions {
  Resource resource;
  std::string name_space;  // empty: all
  std::string label_selector;
  std::string field_selector;
  Duration idle = std::chrono::seconds(100);  // longer silence: the connection is taken for dead
};

/// Keeps a sink up to date with one list: list, watch from its resourceVersion, bookmarks, list
/// again after 410, back-off (operators.md 6.1). Runs on its own thread from start() until its
/// destruction.
class Watcher {
 public:
  virtual ~Watcher() = default;

  /// True once the first list is complete; never false again: a server that is away does not make
  /// the cache wrong, only old.
  virtual bool hasSynced() const = 0;
  /// When the thread was last seen to advance (an event, a bookmark, an attempt): for liveness.
  virtual TimePoint lastAdvance() const = 0;
};

/// `transport`, `client`, `sink` and `clock` outlive the watcher.
std::unique_ptr<Watcher> startWatcher(Transport& transport, Client& client, WatchOptions options,
                                      Sink& sink, const Clock& clock, const Log& log);

}  // namespace sumac::kube
