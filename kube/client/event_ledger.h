#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "base/core/clock.h"
#include "base/core/wall_time.h"
#include "kube/client/events.h"

namespace sumac::kube {

/// A note on its way: one event, seen `count` times.
struct PendingEvent {
  EventTarget target;
  EventNote note;
  int count = 1;
  WallTime first;
  WallTime last;
};

/// What waits to be sent and what stands at the API server already, so that the same note again
/// raises a count instead of making another event. A pure state machine; not thread-safe.
///
/// Events of namespaces whose requests take long, perhaps because of a webhook, wait in a lane of
/// their own, so that they delay and displace nobody else's.
class EventLedger {
 public:
  enum class Lane : std::uint8_t { kQuick, kSlow };

  /// A namespace is slow when its last request took so long.
  static constexpr Duration kSlow = std::chrono::seconds(1);
  static constexpr std::size_t kMaxMessage = 1024;  // bytes, as the API server allows
  static constexpr std::size_t kMaxKnown = 1000;    // events whose name is remembered

  /// `queue`: how many events may wait in a lane; more are dropped.
  EventLedger(std::string component, std::string instance, std::size_t queue);

  enum class Added { kQueued, kMerged, kDropped };
  Added add(const EventTarget& target, const EventNote& note, WallTime now);
  bool isEmpty(Lane lane) const { return of(lane).empty(); }
  std::size_t waiting() const { return quick_.size() + slow_.size(); }
  std::optional<PendingEvent> take(Lane lane);
  /// How long the requests for an event took. What waits of its namespace changes lanes with it.
  void took(const PendingEvent& event, Duration time);

  /// How to send it: a patch of the event `name`, or, with no name, a new object.
  struct Sending {
    std::string name_space;
    std::string name;
    nlohmann::json body;
  };
  Sending sendingOf(const PendingEvent& event) const;
  /// A new object even where one is known: the API server forgets events after an hour.
  Sending newObjectOf(const PendingEvent& event) const;
  void sent(const PendingEvent& event, const Sending& sending);
  void forget(const PendingEvent& event) { known_.erase(keyOf(event.target, event.note)); }

 private:
  struct Known {
    std::string name;
    int count = 0;
    WallTime last;
  };

  using Queue = std::deque<PendingEvent>;

  static std::string keyOf(const EventTarget& target, const EventNote& note);
  Queue& of(Lane lane) { return lane == Lane::kSlow ? slow_ : quick_; }
  const Queue& of(Lane lane) const { return lane == Lane::kSlow ? slow_ : quick_; }

  std::string component_;
  std::string instance_;
  std::size_t capacity_;
  Queue quick_;
  Queue slow_;
  std::set<std::string> slow_namespaces_;
  std::map<std::string, Known> known_;
};

/// At most `most` bytes, without half a UTF-8 character at the end; "..." where it was cut.
std::string cutText(const std::string& text, std::size_t most);

}  // namespace sumac::kube
