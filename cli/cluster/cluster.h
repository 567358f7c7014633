#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <stop_token>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/core/clock.h"
#include "base/core/wall_time.h"
#include "base/report/text.h"
#include "kube/client/client.h"
#include "kube/client/transport.h"

namespace sumac::cli {

/// An object that was added, changed or deleted. For a deleted one `object` is its last known
/// state.
struct Change {
  bool is_removed = false;
  std::shared_ptr<const nlohmann::json> object;
};

/// What to watch.
struct WatchedList {
  kube::Resource resource = kube::kTrainingJobs;
  std::string name_space;  // empty: all
  std::string label_selector;
  std::string field_selector;
};

/// A watch that is running; its destruction ends it.
class Watch {
 public:
  virtual ~Watch() = default;
};

/// What a cluster command needs. All members outlive the command.
struct Cluster {
  kube::Client& client;
  kube::Transport& transport;
  /// Calls `on_change` from another thread, first for every existing object.
  std::function<std::unique_ptr<Watch>(const WatchedList&, std::function<void(Change)> on_change)>
      watch;
  const Clock& clock;
  const WallClock& wall_clock;
  std::stop_token stop;    // Ctrl-C
  std::string name_space;  // of the command line or the context
  bool has_namespace_option = false;
  std::string server;  // for messages
};

/// The streams of a command, and whether they are terminals.
struct Console {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool is_tty = false;      // standard output
  bool is_err_tty = false;  // standard error
  bool has_color = false;
  report::TextStyle style{};  // of standard output
};

}  // namespace sumac::cli
