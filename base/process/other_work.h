#pragma once

#include <optional>
#include <string_view>

#include "base/core/clock.h"

namespace sumac {

/// How long the cores of a machine have worked since it started, by the kernel. A value type.
struct MachineWork {
  int cores = 1;
  double seconds = 0;  // of all cores, with those that a hypervisor gave to other machines

  bool operator==(const MachineWork&) const = default;
};

/// Of /proc/stat; nothing where that does not say. Interrupts do not count: those of a network are
/// the work of whoever uses it.
std::optional<MachineWork> machineWorkIn(std::string_view stat, double ticks_per_second);

/// The share of the cores that a job lacked: that could use `wanted` of a machine's, of which
/// others used so many on average. Requires wanted >= 1 and cores >= 1.
double lackingShare(double others, int cores, int wanted);

/// Measures how much other processes compute on this machine while a job runs. The job's processes
/// are children of this one, which may not wait for a child of another job meanwhile.
class OtherWork {
 public:
  /// Begins now.
  explicit OtherWork(const Clock& clock);

  /// lackingShare() since then; nothing where the kernel does not say. Call it once all the job's
  /// processes were waited for.
  std::optional<double> lacking(int wanted) const;

 private:
  const Clock& clock_;  // outlives us
  TimePoint begun_;
  std::optional<MachineWork> machine_;
  double own_ = 0;  // seconds that this process and its children have computed
};

}  // namespace sumac
