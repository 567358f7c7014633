// Threads: emit() comes from anywhere and only takes the lock; a thread for each lane sends.
// Invariant: the lock is never held during a request.
#include "kube/client/event_recorder.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/core/token_bucket.h"
#include "kube/client/client.h"
#include "kube/client/event_ledger.h"

namespace sumac::kube {
namespace {

ClientOptions clientOptions(const EventOptions& options) {
  ClientOptions made;
  made.timeout = options.timeout;
  return made;
}

using Lane = EventLedger::Lane;

class EventThreads final : public EventRecorder {
 public:
  EventThreads(Transport& transport, const EventOptions& options, const Clock& clock,
               const WallClock& wall_clock, const Log& log)
      : options_(options),
        clock_(clock),
        wall_clock_(wall_clock),
        log_(log),
        client_(makeClient(transport, clientOptions(options), client_stop_.get_token())),
        ledger_(options.component, options.instance, options.queue),
        pace_(options.per_second, options.burst) {
    quick_ = std::jthread([this](const std::stop_token& stop) { run(Lane::kQuick, stop); });
    slow_ = std::jthread([this](const std::stop_token& stop) { run(Lane::kSlow, stop); });
  }

  ~EventThreads() override {
    {
      std::unique_lock lock(mutex_);
      is_closing_ = true;
      changed_.notify_all();
      changed_.wait_for(lock, options_.drain, [this] { return running_ == 0; });
      counts_.dropped += ledger_.waiting();
    }
    client_stop_.request_stop();
    for (std::jthread* thread : {&quick_, &slow_}) {
      thread->request_stop();
      thread->join();
    }
    if (counts_.dropped + counts_.failed > 0) {
      log_.warn("events were lost", {{"dropped", counts_.dropped}, {"failed", counts_.failed}});
    }
  }

  void emit(const EventTarget& target, const EventNote& note) override {
    const WallTime now = wall_clock_.now();
    const std::lock_guard lock(mutex_);
    const auto added = ledger_.add(target, note, now);
    if (added == EventLedger::Added::kDropped) ++counts_.dropped;
    if (added == EventLedger::Added::kMerged) ++counts_.merged;
    changed_.notify_all();
  }

  EventCounts counts() const override {
    const std::lock_guard lock(mutex_);
    return counts_;
  }

 private:
  void run(Lane lane, const std::stop_token& stop) {
    while (const auto event = next(lane, stop)) {
      const TimePoint begun = clock_.now();
      send(*event);
      const std::lock_guard lock(mutex_);
      ledger_.took(*event, clock_.now() - begun);
      changed_.notify_all();  // its namespace may have changed lanes
    }
    const std::lock_guard lock(mutex_);
    --running_;
    changed_.notify_all();
  }

  /// Waits for a note of the lane and for the permission to send it. The end takes what is there
  /// without further permissions: its time is bounded.
  std::optional<PendingEvent> next(Lane lane, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      changed_.wait(lock, stop, [&] { return is_closing_ || !ledger_.isEmpty(lane); });
      if (!is_closing_) awaitPermission(lock, stop);
      if (stop.stop_requested()) break;
      // Meanwhile the namespace may have changed lanes.
      auto event = ledger_.take(lane);
      if (event || is_closing_) return event;
    }
    return std::nullopt;
  }

  void awaitPermission(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
    const TimePoint begun = clock_.now();
    const TimePoint due = begun + pace_.reserve(begun);
    for (TimePoint now = begun; now < due && !is_closing_ && !stop.stop_requested();
         now = clock_.now()) {
      changed_.wait_for(lock, stop, due - now, [this] { return is_closing_; });
    }
  }

  void send(const PendingEvent& event) {
    EventLedger::Sending sending;
    {
      const std::lock_guard lock(mutex_);
      sending = ledger_.sendingOf(event);
    }
    Reply reply = ask(sending);
    if (reply.failure && reply.failure->isNotFound() && !sending.name.empty()) {
      {
        const std::lock_guard lock(mutex_);
        ledger_.forget(event);
        sending = ledger_.newObjectOf(event);
      }
      reply = ask(sending);
    }
    const std::lock_guard lock(mutex_);
    if (reply) {
      ledger_.sent(event, sending);
      ++counts_.sent;
      return;
    }
    ++counts_.failed;
    log_.debug("event not sent", {{"error", reply.failure->message}});
  }

  Reply ask(const EventLedger::Sending& sending) {
    if (sending.name.empty()) return client_->create(kEvents, sending.name_space, sending.body);
    return client_->patch(kEvents, {sending.name_space, sending.name}, "", sending.body);
  }

  const EventOptions options_;
  const Clock& clock_;           // outlives us
  const WallClock& wall_clock_;  // outlives us
  const Log log_;
  std::stop_source client_stop_;
  const std::unique_ptr<Client> client_;

  mutable std::mutex mutex_;  // guards the following
  std::condition_variable_any changed_;
  EventLedger ledger_;
  TokenBucket pace_;
  EventCounts counts_;
  bool is_closing_ = false;
  int running_ = 2;  // threads

  std::jthread quick_;
  std::jthread slow_;
};

}  // namespace

std::unique_ptr<EventRecorder> startEventRecorder(Transport& transport, const EventOptions& options,
                                                  const Clock& clock, const WallClock& wall_clock,
                                                  const Log& log) {
  return std::make_unique<EventThreads>(transport, options, clock, wall_clock, log);
}

}  // namespace sumac::kube
