#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/core/result.h"
#include "engine/nn/engine.h"
#include "exchange/membership/member_memory.h"
#include "exchange/plan/exchange_plan.h"
#include "exchange/plan/part_tree.h"
#include "job/document/training_job.h"
#include "job/model/network.h"
#include "kernels/kernels.h"

namespace sumac::worker {

/// The memory of one worker, in bytes, by purpose. A lower bound: buffers of the system and the
/// libraries are only counted in `buffers.program`, a fixed amount.
struct MemoryNeed {
  std::uint64_t engine = 0;  // the network's values and gradients for the largest batch
  WorkerBuffers buffers;     // the caller adds the data set

  std::uint64_t total() const { return engine + buffers.total(); }
};

/// The engine of a worker that computes the parts of `block`. Only worker 0 evaluates.
Engine::Options engineOptions(const job::TrainingSpec& training, const model::Network& network,
                              TreeNode block);

/// What worker `index` of `job` needs, not counting the data set. Fails as
/// engineBytes() does.
Result<MemoryNeed> memoryNeed(const job::TrainingJob& job, const model::Network& network,
                              const ExchangePlan& plan, const Kernels& kernels, int index);

/// What the worker of `job` needs that needs most, not counting the data set.
Result<MemoryNeed> largestNeed(const job::TrainingJob& job, const model::Network& network,
                               const ExchangePlan& plan, const Kernels& kernels);

/// With which numbers of workers, of those that a job whose members change may have, one of them
/// would need more than `limit` bytes, and how much, with `data` bytes of the data set.
Result<std::map<int, std::uint64_t>> needsBeyond(std::uint64_t limit, const job::TrainingJob& job,
                                                 const model::Network& network,
                                                 const ExchangePlan& plan, const Kernels& kernels,
                                                 std::uint64_t data);

/// What a worker that needs this much says where the system gives it less: how much, and what to
/// change.
std::string memoryShortage(const MemoryNeed& need);

/// Why a worker that needs this much cannot run under `limit`, and what to change; empty if it can.
std::string memoryProblem(const MemoryNeed& need, std::optional<std::uint64_t> limit);

}  // namespace sumac::worker
