#include "exchange/link/reactor.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace sumac::link {
namespace {

constexpr std::chrono::milliseconds kTick{20};

}  // namespace

/// Passes on what the link tells, after a tick where one is due: a state machine must notice a
/// pause of its own process before it judges others by their silence.
class Reactor::TickingHandler final : public TransportHandler {
 public:
  TickingHandler(TransportHandler& handler, const Tick& onTick, const Clock& clock)
      : handler_(&handler), on_tick_(&onTick), clock_(&clock), due_(clock.now()) {}

  void tickIfDue() {
    const TimePoint now = clock_->now();
    if (now < due_) return;
    due_ = now + kTick;
    (*on_tick_)(now);
  }

  /// Rounded up: a wait that ends just before the tick would be followed by busy ones.
  std::chrono::milliseconds untilDue() const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(due_ - clock_->now());
    return std::max(left, std::chrono::milliseconds(0));
  }

  void onMessage(Peer from, const wire::Header& header, const PayloadPtr& payload) override {
    tickIfDue();
    handler_->onMessage(from, header, payload);
  }
  void onDamaged(Peer from, Incarnation incarnation) override {
    tickIfDue();
    handler_->onDamaged(from, incarnation);
  }
  void onPeerUp(Peer peer) override {
    tickIfDue();
    handler_->onPeerUp(peer);
  }
  void onPeerDown(Peer peer, const std::string& why) override {
    tickIfDue();
    handler_->onPeerDown(peer, why);
  }

 private:
  TransportHandler* handler_;
  const Tick* on_tick_;
  const Clock* clock_;
  TimePoint due_;
};

void Reactor::run(TransportHandler& handler, const Tick& onTick, const Turn& onTurn) {
  TickingHandler ticking(handler, onTick, *clock_);
  while (!stopped_.load(std::memory_order_acquire)) {
    ticking.tickIfDue();
    runTasks(ticking, onTurn);
    if (stopped_.load(std::memory_order_acquire)) return;
    link_->poll(ticking.untilDue(), ticking);
  }
}

void Reactor::runTasks(TickingHandler& handler, const Turn& onTurn) {
  std::vector<std::function<void()>> tasks;
  {
    const std::scoped_lock lock(mutex_);
    tasks.swap(tasks_);
  }
  if (onTurn) onTurn();
  for (const auto& task : tasks) {
    if (stopped_.load(std::memory_order_acquire)) return;
    handler.tickIfDue();
    task();
  }
}

void Reactor::post(std::function<void()> task) {
  {
    const std::scoped_lock lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  link_->wake();
}

void Reactor::stop() {
  stopped_.store(true, std::memory_order_release);
  link_->wake();
}

}  // namespace sumac::link
