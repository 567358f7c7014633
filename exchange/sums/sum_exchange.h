#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "base/core/bytes.h"
#include "base/core/clock.h"
#include "base/core/wait.h"
#include "exchange/link/link.h"
#include "exchange/link/value_payloads.h"
#include "exchange/membership/roster.h"
#include "exchange/membership/routes.h"
#include "exchange/plan/range_run.h"
#include "exchange/sums/push_rejection.h"
#include "exchange/sums/sum_store.h"
#include "exchange/sums/sum_trace.h"

namespace sumac {

/// The data lanes of one who adds ranges, a server or a worker of a job without servers: accepts
/// the pushes that the routes lead here and answers with sums within the workers' credit. Says what
/// a sum waits for. Where others add on, passes on what has come together, and their sum back.
/// Everybody who has contributed gets a sum; where all sum everything, each only its own worker.
/// With another roster all sums begin anew: a push of an earlier one is dropped, and one that comes
/// before its roster waits and keeps its credit. Owned by one thread.
class SumExchange {
 public:
  // A worker's whole credit for payload, 8 MiB, and the headers of as many pushes as it allows.
  static constexpr std::uint64_t kMaxHeld = 9UL * 1024 * 1024;

  /// `base` has the job and the sender. The references outlive us.
  SumExchange(const wire::Header& base, const KernelTable& kernels, link::Link& link);

  /// Records the sums of ranges. Call before the first roster; null: nothing is recorded.
  void traceTo(trace::Recorder* recorder) { trace_.recordTo(recorder); }

  /// Pushes that were held for this roster are accepted now. `plan`, always the same, outlives us.
  void onRoster(const Roster& roster, const ExchangePlan& plan);

  /// A message of the data lane from a worker.
  void onMessage(int worker, const wire::Header& header, const link::PayloadPtr& payload);

  /// Credit of a worker's lane came back.
  void onRoom(int worker);

  /// Call about every 20 ms.
  void onTick(TimePoint now) { now_ = now; }
  /// The workers whose contributions to an open step have not come though others' have.
  std::vector<Wait> waits() const;

  /// Messages that did not fit the plan or the membership.
  const RejectedPushes& rejected() const { return rejected_; }

 private:
  struct Held {
    wire::Header header;
    link::PayloadPtr payload;
  };
  struct Inbound {
    std::deque<Held> held;  // pushes for a roster that has not arrived yet
    std::uint64_t held_bytes = 0;
  };
  /// Consecutive ranges for the same workers, which travel in one message: sums, or what is passed
  /// on.
  struct Gathered {
    wire::MessageType type = wire::MessageType::kSum;
    std::vector<int> workers;
    Step step = 0;
    TreeNode node;
    RangeRun run;
    SharedValues values;

    bool isFollowedBy(const Gathered& next) const {
      return type == next.type && workers == next.workers && step == next.step &&
             node == next.node && run.range + run.ranges == next.run.range &&
             values.isFollowedBy(next.values);
    }
  };
  struct Outgoing {
    wire::Header header;
    link::PayloadPtr payload;  // one for all workers
  };

  void reject(PushRejection reason) { ++rejected_.at(static_cast<std::size_t>(reason)); }
  void hold(Inbound& from, const wire::Header& header, const link::PayloadPtr& payload);
  void take(int worker, const wire::Header& header, const link::PayloadPtr& payload);
  void takePush(int worker, const wire::Header& header, const link::PayloadPtr& payload);
  std::optional<PushRejection> add(SumStore::Push push, SumRoom& room, std::size_t place);
  void takeTotal(int worker, const wire::Header& header, const link::PayloadPtr& payload);
  void answer(int worker, const wire::Header& question);
  std::optional<Slot> awaitedFrom(Step step, std::uint32_t range) const;
  void noteBegun(Step step);
  void addWaits(Step step, TimePoint since, std::vector<Wait>& found) const;
  bool isOurs(std::uint32_t range) const;
  std::vector<Junction> junctions() const;
  /// The values of consecutive ranges that have come.
  struct Received {
    RangeRun run;
    SharedValues values;
  };

  std::optional<Received> receive(const wire::Header& header, const link::PayloadPtr& payload);
  SharedValues valuesOf(const RangeRun& run, const link::ValuePayloads::Restored& restored,
                        const link::Payload& payload);
  bool isCarry(int worker) const;
  bool isPassedBy(int worker, TreeNode node, std::uint32_t range) const;
  bool isLate(int worker, Step step, std::uint32_t range) const;
  void passOn(Step step, const Range& range);
  void gatherSum(Step step, const Range& range, const SharedValues& sum);
  void gather(Gathered next);
  void sendGathered();
  void pump(int worker);
  wire::Header header(wire::MessageType type) const;

  const wire::Header base_;
  const ExchangePlan* plan_ = nullptr;  // until the first roster
  const KernelTable* kernels_;
  link::Link* link_;
  std::optional<Roster> roster_;
  std::vector<int> workers_;  // of the roster
  Routes routes_;
  std::optional<SumStore> store_;
  std::optional<link::ValuePayloads> payloads_;  // since the first roster
  SumTrace trace_;
  std::map<int, Inbound> inbound_;
  std::vector<Gathered> gathered_;               // while a message is being handled
  std::map<int, std::deque<Outgoing>> waiting_;  // by worker: for credit
  TimePoint now_{};
  std::map<Step, TimePoint> begun_;  // when its first push came; the newest two
  RejectedPushes rejected_{};
};

}  // namespace sumac
