#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "common/base/slot.h"
#include "common/base/step.h"

namespace sumac::server {

/// Compares the CRCs of the workers' weights, which must be the same bits at the same step.
class WeightsAudit {
 public:
  static constexpr std::size_t kStepsKept = 8;  // bounds memory when a report never arrives

  explicit WeightsAudit(int workers) : workers_(static_cast<std::size_t>(workers)) {}

  /// Returns the workers that differ from the majority once all have reported `step`: all of them
  /// when there is no majority, none when all agree or a report is missing.
  std::vector<Slot> report(Slot worker, Step step, std::uint32_t crc);

 private:
  std::size_t workers_;
  std::map<Step, std::map<Slot, std::uint32_t>> reports_;
};

}  // namespace sumac::server
