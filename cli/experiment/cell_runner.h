#pragma once

#include <filesystem>
#include <string>

#include "base/core/clock.h"
#include "cli/experiment/run_outcome.h"

#include "experiment/cells/cells.h"
#include "experiment/measure/schedule.h"

namespace sumac::cli {

/// A run that is to be measured. A value type.
struct CellRun {
  experiment::RunId id;
  const experiment::Cell* cell = nullptr;  // outlives the run
  std::filesystem::path folder;            // for its files; what is in it goes
};

/// A run that has ended.
struct EndedRun {
  experiment::RunId id;
  RunOutcome outcome;
  Duration time{};        // that it took
  std::string note = {};  // for people, whatever the outcome; empty: nothing
};

/// Where runs are carried out: on this machine, or in a cluster. Owned by the experiment's thread,
/// which calls all members. Its destruction ends what is under way.
class CellRunner {
 public:
  virtual ~CellRunner() = default;

  /// How many runs may be under way at once.
  virtual int most() const = 0;

  /// Begins a run. Requires fewer than most() under way.
  virtual void begin(const CellRun& run) = 0;

  /// Waits until a run has ended. Requires one under way.
  virtual EndedRun await() = 0;

  /// A signal that asks for the end of the experiment and came while no run saw it; 0: none.
  virtual int takeSignal() = 0;
};

}  // namespace sumac::cli
