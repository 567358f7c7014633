#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/core/check.h"
#include "base/core/step.h"
#include "exchange/plan/exchange_plan.h"
#include "job/progress/progress.h"
#include "job/progress/worker_times.h"

namespace sumac::worker {

/// A list of at most N items that never allocates. A value type.
template <typename T, std::size_t N>
class FixedList {
 public:
  bool full() const { return size_ == N; }
  /// Requires that the list is not full.
  void push(const T& value) {
    SUMAC_CHECK(!full());
    values_[size_++] = value;
  }
  std::span<const T> values() const { return {values_.data(), size_}; }

 private:
  std::array<T, N> values_{};
  std::size_t size_ = 0;
};

/// `is_interim`: for those who ask how far the job is now, not for the curve.
struct ProgressReport {
  Progress progress;
  bool is_interim = false;
};

struct WeightsReport {
  Step step = 0;
  std::uint32_t crc = 0;
  WorkerTimes times;
  bool is_last = false;  // of the job's last step
};

/// Ranges that become final in a step: a block is made of at most two tree nodes of each size.
inline std::size_t mostFinalRanges(const ExchangePlan& plan) {
  const auto parts = static_cast<unsigned>(plan.parts);
  return plan.ranges.size() * 2 * static_cast<std::size_t>(std::bit_width(parts));
}

/// What the trainer passes to the reactor in every step, besides the ranges that are final. The
/// reactor takes it on its next turn. A step adds at most one of each, so it is full only when the
/// reactor is delayed, and then the trainer waits. A value type that never allocates.
struct Outbox {
  static constexpr std::size_t kRoom = 4;

  FixedList<ProgressReport, kRoom> progress;
  FixedList<WeightsReport, kRoom> weights;
  std::optional<Step> beginning;  // this step begins; its contributions are not final
  bool rest = false;              // all ranges of the step begun last are final

  bool isEmpty() const {
    return progress.values().empty() && weights.values().empty() && !beginning && !rest;
  }
};

}  // namespace sumac::worker
