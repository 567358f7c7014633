#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/core/result.h"
#include "base/log/log.h"
#include "base/process/process_end.h"
#include "engine/checkpoint/checkpoint.h"
#include "exchange/coordinator/job_setup.h"
#include "exchange/membership/roster.h"
#include "exchange/plan/exchange_plan.h"

#include "libsumac/settings.h"

namespace sumac::program {

/// What a program exchanges.
struct Declaration {
  std::int64_t values = 0;   // of a part, without its loss
  std::int64_t samples = 0;  // of the training data
  std::string lines;         // "key=value" lines
};

/// All that is known before the worker joins. Does not change afterwards.
struct ProgramSetup {
  Settings settings;
  Declaration declared;
  JobSetup job;  // for a worker that sums or coordinates
  ExchangePlan plan;
  std::string plan_text;   // the lines that all workers must share
  std::string plan_lines;  // those of them that fix the bits
  std::string plan_hash;   // of plan_lines
  Step steps_per_epoch = 1;
  Step total_steps = 0;
  bool changes = false;  // members may, while the job trains
  std::uint64_t attempt = 0;
  std::string checkpoint_owner;  // as in checkpoint::WriteOptions
  std::optional<checkpoint::Origin> newest;
  Step newest_step = 0;               // 0: there is none
  std::optional<RosterOrder> volume;  // as in JoinRequest

  int parts() const { return plan.parts; }
  std::int64_t batchSize() const { return settings.job.training.batch_size; }
  Step epochOf(Step step) const { return step < 1 ? 1 : (step - 1) / steps_per_epoch + 1; }
};

/// Fails with kInvalid where lines are not as sumac_declaration says.
Result<void> checkLines(const std::string& lines);

/// Makes the plan, and looks for the newest checkpoint. Fails with how this process ends.
Result<ProgramSetup> prepareProgram(Settings settings, Declaration declared, const Log& log);

/// "baseline/1": what fixes the bits of a sum. All instruction sets add alike.
std::string programNumerics();

}  // namespace sumac::program
