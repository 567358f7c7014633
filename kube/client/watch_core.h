#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "base/core/clock.h"
#include "base/core/enum_text.h"
#include "kube/client/backoff.h"
#include "kube/client/client.h"

namespace sumac::kube {

/// Why a watch is over.
enum class WatchEnd {
  kInOrder,      // the server closed it, as it does every few minutes
  kLost,         // connection broken, refused or silent for too long
  kExpired,      // 410: our resourceVersion is older than what the server keeps
  kBusy,         // 429
  kServerError,  // 5xx
  kRefused,      // 4xx: another watch with the same arguments gives the same
  kMalformed,    // a line that is not a watch event
};

std::string_view toString(WatchEnd end);
using sumac::operator<<;

struct WatchEnding {
  WatchEnd end = WatchEnd::kInOrder;
  Duration lived{};
  bool had_events = false;  // bookmarks too
  std::optional<std::chrono::seconds> retry_after;
};

/// Of an answer other than 200, of an ERROR event (its Status as a failure), or of a stream that
/// simply ended.
WatchEnd endOf(const Failure& failure);

enum class WatchStep { kList, kWatch };
std::ostream& operator<<(std::ostream& out, WatchStep step);

struct NextWatchStep {
  WatchStep step = WatchStep::kList;
  Duration delay{};
};

/// Decides what a watcher does after each list and each watch
/// (docs/design/kubernetes-client.md#list-and-watch). A pure state machine: no clock, no I/O. Not
/// thread-safe.
class WatchCore {
 public:
  static constexpr Duration kFirstBackoff = std::chrono::milliseconds(800);
  static constexpr Duration kLongestBackoff = std::chrono::seconds(30);
  static constexpr Duration kHealthy = std::chrono::minutes(2);  // forgets earlier failures
  static constexpr Duration kTooShort = std::chrono::seconds(1);
  static constexpr int kServerErrorsBeforeList = 3;

  explicit WatchCore(Jitter jitter) : jitter_(std::move(jitter)) {}

  NextWatchStep afterList(const std::optional<Failure>& failure, TimePoint now);
  NextWatchStep afterWatch(const WatchEnding& ending, TimePoint now);

  /// How long the next watch asks the server to keep it: 5 to 10 minutes, so that reconnects
  /// spread.
  std::chrono::seconds nextTimeout();

 private:
  /// The next delay: half of the doubled base and a random part of the other half.
  Duration backOff(TimePoint now);
  NextWatchStep later(WatchStep step, const std::optional<std::chrono::seconds>& at_least,
                      TimePoint now);

  Jitter jitter_;
  std::uint64_t draws_ = 0;
  int failures_ = 0;  // in a row
  int server_errors_ = 0;
  bool just_expired_ = false;
  TimePoint last_failure_{};
};

}  // namespace sumac::kube
