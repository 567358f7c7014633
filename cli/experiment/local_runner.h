#pragma once

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/core/clock.h"
#include "cli/experiment/cell_runner.h"
#include "cli/models/worker_memory.h"

#include "experiment/document/experiment.h"

namespace sumac::cli {

/// What runs on this machine need besides their jobs.
struct LocalRunnerOptions {
  std::filesystem::path programs;  // folder of sumac-server and sumac-worker
  std::int64_t warmup_steps = 0;
  std::vector<experiment::ScaleStep> scale;  // empty: the jobs' numbers of workers stay
  /// In a comparison of sizes, what happens to each run; nothing: it is none.
  std::optional<std::vector<experiment::ScriptedEvent>> sizing;
  AskMemory ask_memory;  // empty: the jobs' memory is not checked
};

/// Runs one job after another with processes on this machine. Holds SIGINT, SIGTERM and SIGHUP back
/// while it lives. Requires a process with one thread and no children.
class LocalRunner final : public CellRunner {
 public:
  /// `clock` outlives us.
  LocalRunner(LocalRunnerOptions options, const Clock& clock);
  ~LocalRunner() override;
  LocalRunner(const LocalRunner&) = delete;
  LocalRunner& operator=(const LocalRunner&) = delete;

  int most() const override { return 1; }
  void begin(const CellRun& run) override { next_ = run; }
  EndedRun await() override;
  int takeSignal() override;

 private:
  const LocalRunnerOptions options_;
  const Clock& clock_;  // outlives us
  std::optional<CellRun> next_;
  sigset_t held_{};
  sigset_t before_{};
};

}  // namespace sumac::cli
