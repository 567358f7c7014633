#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <vector>

#include "base/core/clock.h"
#include "exchange/link/zmq_link.h"

namespace sumac::link {

/// The loop of the thread that owns a link and the state machine behind it: handles messages, ticks
/// and other threads' tasks.
class Reactor {
 public:
  using Tick = std::function<void(TimePoint)>;
  using Turn = std::function<void()>;

  /// Both outlive us.
  Reactor(ZmqLink& link, const Clock& clock) : link_(&link), clock_(&clock) {}

  /// Runs on the calling thread until stop(). Calls `onTick` every 20 ms, and before anything else
  /// after a longer pause of the process. Calls `onTurn` after each wake() of the link, before the
  /// tasks posted until then: for messages of other threads where post(), which allocates, costs
  /// too much.
  void run(TransportHandler& handler, const Tick& onTick, const Turn& onTurn = {});

  /// Makes run() call `task`, in the order of posting; tasks still queued at stop() are dropped.
  /// Safe from any thread.
  void post(std::function<void()> task);

  /// Safe from any thread.
  void stop();

 private:
  class TickingHandler;

  void runTasks(TickingHandler& handler, const Turn& onTurn);

  ZmqLink* link_;
  const Clock* clock_;
  std::atomic<bool> stopped_ = false;

  // Written by any thread, taken by run().
  std::mutex mutex_;
  std::vector<std::function<void()>> tasks_;
};

}  // namespace sumac::link
