#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/core/slot.h"
#include "base/core/step.h"

namespace sumac {

/// Compares the CRCs of the workers' weights, which must be the same bits at the same step.
class WeightsAudit {
 public:
  static constexpr std::size_t kStepsKept = 8;  // bounds memory

  struct Report {
    Step step = 0;
    std::uint32_t crc = 0;
  };
  struct Outcome {
    bool agreed = false;          // all have reported the same for this step
    std::vector<Slot> different;  // from the majority; all where there is none
  };

  explicit WeightsAudit(int workers) : workers_(static_cast<std::size_t>(workers)) {}

  /// Nothing but a wait while a report of `step` is missing. A repeated report has the same
  /// outcome.
  Outcome report(Slot worker, Step step, std::uint32_t crc);
  /// Whether all have reported the same for `step`, one of the newest.
  bool agreed(Step step) const;
  /// The newest report of a worker, where no other contradicts it.
  std::optional<Report> uncontested(Slot worker) const;
  /// Whether `worker` has reported `step` or a later one: of `step` it has nothing more to say.
  bool hasReported(Slot worker, Step step) const;

 private:
  Outcome outcome(Step step) const;

  std::size_t workers_;
  std::map<Step, std::map<Slot, std::uint32_t>> reports_;
};

}  // namespace sumac
