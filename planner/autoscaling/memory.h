#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "job/progress/progress.h"

namespace sumac::autoscaling {

/// What steps took while so many workers trained: the mean of `steps` of them, or one report.
struct Observation {
  int workers = 0;
  double steps = 0;            // of a mean, those of the last ten times that a size is observed
  double step_seconds = 0;     // of a whole step
  double compute_seconds = 0;  // of it, what the busiest worker computed; the rest is exchange
  double at = 0;               // when it was made, in seconds since the job started

  bool operator==(const Observation&) const = default;
};

/// What has to be known from one decision to the next. A value type: whoever decides keeps it with
/// the job. Lost, it costs some minutes of observing, and perhaps a change of size.
struct Memory {
  std::vector<Observation> observations;  // each of another size, at most kMostObservations
  /// Reports in a row, of the present size, that contradict its mean; no steps: there are none.
  Observation odd;
  int odd_reports = 0;
  /// Of the present size when it was found to be the right one; 0: not yet.
  double settled_step_seconds = 0;
  int most = 0;     // workers that bounds and room allowed at the last decision
  int changes = 0;  // of size, since steps last changed by themselves, or bounds or room did
  /// The worker that slows all others, once that has lasted for the time for which a size is
  /// observed: as last told by a size that has it.
  std::optional<Straggler> straggler = {};
  bool is_straggler_odd = false;  // reports tell of another one, or of none,
  double odd_since = 0;           // since then

  const Observation* find(int workers) const;

  bool operator==(const Memory&) const = default;
};

/// Whether a report or a mean can be one: steps and their time are positive numbers, and computing
/// takes no longer than the step.
bool isPossible(const Observation& one);

/// Whether a mean is of enough steps to stand for its size: 30, or as many as took the time for
/// which a size is observed.
bool isTelling(const Observation& mean, double stabilization_seconds);

inline constexpr std::size_t kMostObservations = 16;

/// By how much a step's time may change before it is another job, as it were: with a noise of 10 %
/// two reports differ by 22 %.
inline constexpr double kJump = 0.25;

/// So many times as long as with equal workers takes what the slowest of `workers` computes of
/// `parts`: 1 where the straggler is none of them, or its fewer parts make up for it.
double slowdownOf(const std::optional<Straggler>& straggler, int workers, int parts);

/// Adds a report of progress, as it would be without the `straggler` that the report tells of: what
/// was observed is of equal workers. Reports that differ from their size's mean by more than kJump
/// wait until there are three in a row over `stabilization_seconds`; then the machines or the
/// network have changed, and what is known of other sizes is scaled by the same ratios, of
/// computing and of the rest; of what was less than a tenth of the step, it gets as many seconds
/// more. So a short disturbance changes nothing, and one that stays is
/// believed, a straggler, too. What is not isPossible() is ignored, and taken out of the memory.
void observe(Memory& memory, const Observation& report, double stabilization_seconds);
void observe(Memory& memory, const Observation& report, double stabilization_seconds,
             const std::optional<Straggler>& straggler, int parts);

/// Forgets that the present size was found right: its bounds, its policy or its room are others.
void reopen(Memory& memory);

}  // namespace sumac::autoscaling
