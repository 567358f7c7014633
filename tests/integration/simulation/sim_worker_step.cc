#include <algorithm>
#include <utility>
#include <variant>

#include "tests/integration/simulation/sim_job.h"
#include "tests/integration/simulation/sim_worker.h"

// A step of a worker's trainer, on its thread.

namespace sumac {

using worker::Outcome;

/// Where the contributions of step - 2 are, the trainer may write when nobody reads them any more.
void SimWorker::beginStep() {
  if (hangs()) return;
  const auto& lease = leases_[static_cast<std::size_t>(action_.step % 2)];
  const auto isFree = [&lease] { return lease.expired(); };
  wait([this, isFree] { return isFree() || inbox_.sumOf(action_.step); },
       [this, isFree] {
         if (isFree()) return computeStep();
         if (open_ > 0) return finishStep([this] { went(Outcome::kNotBegun); });
         went(inbox_.end() ? Outcome::kEnded : Outcome::kNoSum);
       });
}

void SimWorker::computeStep() {
  for (std::vector<float>& values : sums_[static_cast<std::size_t>(action_.step % 2)])
    std::ranges::fill(values, kSimOverwritten);
  if (open_ == 0) return beginAnnouncing();
  finishStep([this] {
    const auto stop = inbox_.stopOrder().after;
    if (stop && *stop < action_.step) return went(Outcome::kNotBegun);
    beginAnnouncing();
  });
}

/// The sums of the open step as they come, as the layers of a forward pass wait for them; then the
/// step is done.
void SimWorker::finishStep(const std::function<void()>& then) {
  if (updated_ == plan_.ranges.size()) return awaitSum(open_, then);
  const auto came = [this] {
    return inbox_.partialSumOf(open_, updated_, static_cast<std::uint32_t>(plan_.ranges.size()));
  };
  wait([this, came] { return came().ranges > 0 || inbox_.isOver(open_); },
       [this, came, then] {
         const worker::PartialSum sum = came();
         if (sum.ranges == 0) return awaitSum(open_, then);
         const auto first = static_cast<std::size_t>(plan_.ranges[updated_].first);
         updated_ += sum.ranges;
         const Range& last = plan_.ranges[updated_ - 1];
         simUpdate(state_, sum.values, first, static_cast<std::size_t>(last.first + last.count),
                   kernels_, next_);
         later(/*most_us=*/300, [this, then] { finishStep(then); });
       });
}

void SimWorker::awaitSum(Step step, const std::function<void()>& then) {
  wait([this, step] { return inbox_.sumOf(step).has_value(); },
       [this, step, then] {
         const auto came = *inbox_.sumOf(step);
         // The last of them came when the step was not to be finished any more.
         const bool is_late =
             std::holds_alternative<worker::Sum>(came) && updated_ < plan_.ranges.size();
         if (is_late) return finishStep(then);
         open_ = 0;
         if (std::holds_alternative<ProcessEnd>(came)) return went(Outcome::kEnded);
         if (std::holds_alternative<worker::StopAfter>(came)) return went(Outcome::kNoSum);
         if (!apply(step)) return went(Outcome::kFailed);
         then();
       });
}

/// The step begins with its first contribution.
void SimWorker::beginAnnouncing() {
  const Step step = action_.step;
  begun_ = step;
  auto& sums = sums_[static_cast<std::size_t>(step % 2)];
  std::vector<Contribution> contributions;
  const std::vector<TreeNode> nodes = maximalNodes(block_, plan_.parts);
  sums.resize(nodes.size());
  const auto slow = options_.slow.find(slot_.index);
  slow_ = slow == options_.slow.end() ? Duration{} : slow->second;
  computed_.clear();
  final_.clear();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    computed_.push_back(simSum(options_, state_.weights, step, nodes[i].begin, nodes[i].end));
    sums[i].resize(static_cast<std::size_t>(plan_.values), kSimOverwritten);
    contributions.push_back({nodes[i], sums[i]});  // views: the values are not there
    for (const Range& range : plan_.ranges)
      final_.push_back({i, range.id});
  }
  if (draw(4) == 0) std::ranges::reverse(final_);
  const auto lease = std::make_shared<int>();
  leases_[static_cast<std::size_t>(step % 2)] = lease;
  later(/*most_us=*/50, [this, step, contributions, lease] {
    member_->training().contributions().begin(step, contributions, lease);
    member_->settle();
    computeSome();
  });
}

/// Some ranges more become final, mostly the last ones first; what is not has no values.
void SimWorker::computeSome() {
  const std::size_t left = options_.overlaps() ? final_.size() * draw(4) / 4 : 0;
  const Duration more = left == 0 ? slow_ : slow_ / 2;
  slow_ -= more;
  network_.after(self_, more + network_.between(250, 10'000), [this, left] {
    std::vector<FinalRange> bucket(final_.begin() + static_cast<std::ptrdiff_t>(left),
                                   final_.end());
    final_.resize(left);
    for (const auto& [contribution, range] : bucket)
      fill(contribution, plan_.ranges[range]);
    later(/*most_us=*/50, [this, bucket = std::move(bucket)] {
      if (final_.empty()) {
        member_->training().contributions().announceRest();
      } else {
        member_->training().contributions().announce(bucket);
      }
      member_->settle();
      if (!final_.empty()) return computeSome();
      sent();
    });
  });
}

/// What this worker contributes to one range.
void SimWorker::fill(std::size_t contribution, const Range& range) {
  std::copy_n(computed_.at(contribution).begin() + range.first, range.count,
              sums_[static_cast<std::size_t>(begun_ % 2)].at(contribution).begin() + range.first);
}

void SimWorker::sent() {
  next_.assign(state_.weights.size(), kSimOverwritten);
  updated_ = 0;
  open_ = begun_;
  watch_.onSent(self_, begun_, members_);
  if (action_.leaves_open) return went(Outcome::kDone);
  finishStep([this] { went(Outcome::kDone); });
}

bool SimWorker::apply(Step step) {
  if (options_.fails == slot_.index && step == options_.fails_in) {
    cause_ = "the loss is not finite";
    return false;
  }
  state_.swap(next_);
  done_ = step;
  keepState(step);
  watch_.onStep(self_, step, members_);
  if (options_.diverges == slot_.index && done_ == options_.diverges_in) state_.weights[7] += 1;
  return true;
}

}  // namespace sumac
