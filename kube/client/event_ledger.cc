#include "kube/client/event_ledger.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/core/text.h"
#include "base/core/units.h"

namespace sumac::kube {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxNamePrefix = 200;  // of 253 that a name may have

/// Events of objects without a namespace live in "default".
std::string nameSpaceOf(const EventTarget& target) {
  return target.key.name_space.empty() ? "default" : target.key.name_space;
}

}  // namespace

std::string cutText(const std::string& text, std::size_t most) {
  constexpr std::string_view kCut = "...";
  if (text.size() <= most) return text;
  return std::string(wholeCharacters(text, most - kCut.size())).append(kCut);
}

EventLedger::EventLedger(std::string component, std::string instance, std::size_t queue)
    : component_(std::move(component)), instance_(std::move(instance)), capacity_(queue) {}

std::string EventLedger::keyOf(const EventTarget& target, const EventNote& note) {
  std::string key;
  for (const std::string& part :
       {target.kind, target.key.name_space, target.key.name, target.uid, note.reason}) {
    key += part + '\n';
  }
  return key + (note.warning ? 'W' : 'N') + note.message;
}

EventLedger::Added EventLedger::add(const EventTarget& target, const EventNote& note,
                                    WallTime now) {
  EventNote cut = note;
  cut.message = cutText(note.message, kMaxMessage);
  const std::string key = keyOf(target, cut);
  const bool is_slow = slow_namespaces_.contains(target.key.name_space);
  Queue& queue = of(is_slow ? Lane::kSlow : Lane::kQuick);
  const auto same = std::find_if(queue.begin(), queue.end(), [&key](const PendingEvent& event) {
    return keyOf(event.target, event.note) == key;
  });
  if (same != queue.end()) {
    ++same->count;
    same->last = now;
    return Added::kMerged;
  }
  if (queue.size() >= capacity_) return Added::kDropped;
  queue.push_back({target, std::move(cut), 1, now, now});
  return known_.contains(key) ? Added::kMerged : Added::kQueued;
}

std::optional<PendingEvent> EventLedger::take(Lane lane) {
  Queue& queue = of(lane);
  if (queue.empty()) return std::nullopt;
  PendingEvent event = std::move(queue.front());
  queue.pop_front();
  return event;
}

void EventLedger::took(const PendingEvent& event, Duration time) {
  const std::string& name_space = event.target.key.name_space;
  const bool is_slow = time >= kSlow;
  if (is_slow == slow_namespaces_.contains(name_space)) return;
  if (slow_namespaces_.size() >= kMaxKnown) slow_namespaces_.clear();
  is_slow ? void(slow_namespaces_.insert(name_space)) : void(slow_namespaces_.erase(name_space));
  Queue& from = of(is_slow ? Lane::kQuick : Lane::kSlow);
  Queue& to = of(is_slow ? Lane::kSlow : Lane::kQuick);
  const auto moved = std::stable_partition(from.begin(), from.end(), [&](const PendingEvent& each) {
    return each.target.key.name_space != name_space;
  });
  std::move(moved, from.end(), std::back_inserter(to));
  from.erase(moved, from.end());
}

EventLedger::Sending EventLedger::sendingOf(const PendingEvent& event) const {
  const auto known = known_.find(keyOf(event.target, event.note));
  if (known == known_.end()) return newObjectOf(event);
  return {nameSpaceOf(event.target),
          known->second.name,
          {{"count", known->second.count + event.count}, {"lastTimestamp", toRfc3339(event.last)}}};
}

EventLedger::Sending EventLedger::newObjectOf(const PendingEvent& event) const {
  const EventTarget& target = event.target;
  const std::string name_space = nameSpaceOf(target);
  json involved = {{"apiVersion", target.api_version},
                   {"kind", target.kind},
                   {"name", target.key.name},
                   {"uid", target.uid}};
  if (!target.key.name_space.empty()) involved["namespace"] = target.key.name_space;
  // Two notes of one microsecond differ by their text; who writes beside us, by its own.
  const auto hash = std::hash<std::string>()(keyOf(target, event.note) + instance_) & 0xFFFFFFU;
  const auto microseconds = static_cast<std::uint64_t>(event.last.time_since_epoch().count());
  json body = {{"apiVersion", "v1"},
               {"kind", "Event"},
               {"metadata",
                {{"name", target.key.name.substr(0, kMaxNamePrefix) + "." +
                              hexText(microseconds, 1) + hexText(hash, 1)},
                 {"namespace", name_space}}},
               {"involvedObject", std::move(involved)},
               {"type", event.note.warning ? "Warning" : "Normal"},
               {"reason", event.note.reason},
               {"message", event.note.message},
               {"source", {{"component", component_}}},
               {"reportingComponent", component_},
               {"reportingInstance", instance_},
               {"firstTimestamp", toRfc3339(event.first)},
               {"lastTimestamp", toRfc3339(event.last)},
               {"count", event.count}};
  return {name_space, "", std::move(body)};
}

void EventLedger::sent(const PendingEvent& event, const Sending& sending) {
  Known& known = known_[keyOf(event.target, event.note)];
  known.last = event.last;
  known.count = sending.body.value("count", 1);
  if (sending.name.empty()) known.name = sending.body["metadata"]["name"].get<std::string>();
  if (known_.size() <= kMaxKnown) return;
  known_.erase(std::min_element(known_.begin(), known_.end(), [](const auto& a, const auto& b) {
    return a.second.last < b.second.last;
  }));
}

}  // namespace sumac::kube
