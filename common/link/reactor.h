#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <vector>

#include "common/base/clock.h"
#include "common/link/zmq_link.h"

namespace sumac::link {

/// The loop of the thread that owns a link and the state machine behind it: messages, ticks, and
/// what other threads ask for.
class Reactor {
 public:
  using Tick = std::function<void(TimePoint)>;
  using Turn = std::function<void()>;

  /// Both outlive us.
  Reactor(ZmqLink& link, const Clock& clock) : link_(&link), clock_(&clock) {}

  /// Works on the calling thread until stop(). `onTick` is called every 50 ms, and before anything
  /// else when the process was held up for longer than that. `onTurn` is called after each wake()
  /// of the link, before the tasks that were posted until then: for other threads' letters where
  /// posting, which allocates, is too dear.
  void run(Handler& handler, const Tick& onTick, const Turn& onTurn = {});

  /// Has run() call `task`, in the order of the posts; what is still waiting at stop() is never
  /// called. Safe from any thread.
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
