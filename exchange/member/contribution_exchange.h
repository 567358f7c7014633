#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/core/bytes.h"
#include "base/core/clock.h"
#include "base/core/wait.h"
#include "exchange/link/link.h"
#include "exchange/link/value_payloads.h"
#include "exchange/member/contribution.h"
#include "exchange/member/range_trace.h"
#include "exchange/membership/roster.h"
#include "exchange/membership/routes.h"
#include "exchange/plan/range_run.h"
#include "kernels/aligned_buffer.h"

namespace sumac {

/// Sums that a message has brought.
struct Came {
  Step step = 0;
  RangeRun run;
  bool is_last = false;  // all sums of the step are there
};

/// The data lanes of a worker: pushes contributions to those who add them, within their credit, and
/// collects the sums. The roster's routes say who adds: servers, the workers each other's ranges,
/// or each worker everything.
///
/// A step is opened by begin(); its ranges are pushed as they are announced, what the next forward
/// pass reads first before the rest. While more is to be announced, little is under way to each
/// owner, so that what is urgent does not queue behind what is not.
///
/// Invariants: a range is pushed once it is final, not before; at most two steps are open, and of
/// the older one everything is final; a step's contributions are kept until the first sum of the
/// next step arrives, which proves that every worker has all sums of the step, as nobody begins a
/// step without them; the sum of a range is accepted once.
///
/// With fp32 nothing is copied but what blocks of zeros are left out of: messages refer to the
/// trainer's buffers. The trainer has two sets of these, for odd and even steps, and overwrites
/// those of s when it computes s+2, but not before the lease of s is returned. retained_ holds it
/// until the first sum of s+1 arrives, each message until it has arrived and left this process. The
/// sums of s+1 prove that all of s has arrived, and bring the acknowledgements: so a trainer that
/// has them waits only after a connection broke, and one that begins s+2 before for the first of
/// them.
class ContributionExchange {
 public:
  /// `base` has the job and the sender; plan, link and kernels outlive us. `kernels` write and read
  /// values, those of any variant; null only with fp32.
  ContributionExchange(const wire::Header& base, const ExchangePlan& plan, link::Link& link,
                       const KernelTable* kernels = nullptr);

  /// Records pushes and waits; null: nothing is recorded.
  void traceTo(trace::Recorder* recorder) { trace_.recordTo(recorder); }

  /// Whether a roster's shard map can be used.
  bool fits(const Roster& roster) const { return roster.shards.ranges() == plan_->ranges.size(); }
  /// A roster, which fits: nothing of the steps before is kept, sent or taken any more.
  void onRoster(const Roster& roster);
  /// Credit of a lane came back.
  void onRoom(Slot owner);
  /// Pushes wait while `is_held`: something more urgent has the links.
  void hold(bool is_held);

  /// While a step has ranges to announce, so many bytes are under way to an owner at most, or one
  /// message: 2 ms at 10 Gbit/s. Twice what the owner takes over before it says so (LaneEnd).
  static constexpr std::size_t kWindow = 2UL * 1024 * 1024;

  /// Opens `step`: nothing of its contributions is final. Drops `lease` when nobody reads them any
  /// more. Requires that all sums of the previous step have arrived.
  void begin(Step step, std::span<const Contribution> contributions, Lease lease);
  /// These ranges of the step begun last are final. Requires that they were not before.
  void announce(std::span<const FinalRange> ranges);
  /// And so are all others.
  void announceRest();
  /// The job has ended for this worker: from now on calls do nothing.
  void end() { has_ended_ = true; }

  /// Handles a message of the data lane; returns the sums that it brings.
  std::optional<Came> onMessage(Slot from, const wire::Header& header, BytesView payload);

  /// Asks those who sum, now and then, what their sums wait for. Call about every 20 ms.
  void onTick(TimePoint now);
  /// Whom this worker waits for, as of the last tick: those who sum, or, as far as they have said,
  /// the workers that have not contributed.
  std::vector<Wait> waits() const;

  /// The sum of `step`, as far as onMessage() has returned it. Requires the newest step.
  std::span<const float> sum(Step step) const;

  /// Messages that did not fit the plan, the roster or the open step.
  std::uint64_t ignored() const { return ignored_; }
  /// Values of contributions and sums that are as large as fp16 allows: nearly all were larger.
  std::uint64_t limited() const { return payloads_.limited(); }

 private:
  /// By the contribution's place among those of its step, the first range and how many.
  using Written =
      std::map<std::tuple<std::size_t, std::uint32_t, std::uint32_t>, link::ValuePayloads::Written>;
  /// The contributions of a step.
  struct Retained {
    std::vector<Contribution> contributions;
    Lease lease;
    std::vector<std::vector<bool>> is_final;  // by contribution and range
    std::size_t open = 0;                     // how many of these are false
    Written written;                          // one payload for all who add it
  };
  /// One message's worth of a contribution: a run of ranges of one tree node.
  struct Push {
    Step step = 0;
    RangeRun run;
    std::size_t contribution = 0;

    /// Older steps first; then what the next forward pass reads first.
    bool operator<(const Push& other) const {
      return std::tie(step, run.range, contribution) <
             std::tie(other.step, other.run.range, other.contribution);
    }
  };
  /// What one who sums said about a range.
  struct Answer {
    std::uint32_t range = 0;
    TreeNode missing;             // the first parts that have not come; empty: all have
    std::optional<Slot> awaited;  // for whom the one who answers waits then
  };
  /// One who adds our contributions.
  struct Owner {
    Slot slot;
    std::vector<RangeRun> runs;   // of the ranges that we send it
    std::vector<Push> held{};     // of the newest step, not final yet
    std::vector<Push> waiting{};  // for room, the next one last
    std::optional<TimePoint> asked{};
    std::optional<Answer> answer{};  // of the newest step
  };

  std::vector<Owner> ownersOf(const Roster& roster) const;
  static void enqueue(Step step, const Retained& retained, Owner& owner);
  void release();
  bool isAnnounced() const;
  bool isGathering(Step step) const { return step == newest_ && missing_ > 0; }
  /// Who still computes waits for nobody.
  bool isWaiting() const { return missing_ > 0 && isAnnounced(); }
  std::optional<std::uint32_t> firstMissing(const Owner& owner) const;
  void ask(Slot owner, std::uint32_t range);
  void takeAnswer(Slot from, const wire::Header& header);
  void addLate(const Owner& owner, const Answer& answer, std::vector<Wait>& found) const;
  void addWait(Slot whom, const std::string& what, std::vector<Wait>& found) const;
  std::optional<Came> takeSum(Slot from, const wire::Header& header, BytesView payload);
  bool sendsSum(Slot from, std::uint32_t range) const;
  std::optional<RangeRun> runFrom(Slot from, const wire::Header& header) const;
  void take(const RangeRun& run, const Range& range, BytesView restored, AlignedBuffer& sum);
  void forgetBefore(Step step);
  bool hasRoom(const Owner& owner, std::size_t size) const;
  void pump(Owner& owner);
  void sendPush(Slot owner, const Push& push, const link::ValuePayloads::Written& written);
  const link::ValuePayloads::Written& payloadOf(const Push& push);

  const wire::Header base_;
  const ExchangePlan* plan_;
  link::Link* link_;
  link::ValuePayloads payloads_;
  RangeTrace trace_;
  RosterOrder order_;
  Routes routes_;              // of the roster
  std::vector<Slot> workers_;  // its workers, by position
  std::vector<Owner> owners_;  // in the order in which we serve them
  std::map<Step, Retained> retained_;

  TimePoint now_{};    // of the last tick
  Step newest_ = 0;    // begun last
  TimePoint since_{};  // when the last of it was announced
  bool is_held_ = false;
  std::array<AlignedBuffer, 2> sums_;  // the trainer reads one while the other fills
  std::vector<bool> have_;             // ranges of `newest_` that have come
  std::size_t missing_ = 0;
  std::uint64_t ignored_ = 0;
  bool has_ended_ = false;
};

}  // namespace sumac
