#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/base/result.h"
#include "common/job/training_job.h"
#include "common/kernels/kernels.h"
#include "common/model/network.h"
#include "common/plan/exchange_plan.h"
#include "common/plan/part_tree.h"
#include "worker/nn/engine.h"

namespace sumac::worker {

/// The memory of one worker, in bytes, by purpose. A lower bound: buffers of the system and the
/// libraries are only counted in `program`, a fixed amount.
struct MemoryNeed {
  std::uint64_t engine = 0;     // the network's values and gradients for the largest batch
  std::uint64_t weights = 0;    // weights, optimizer state and part state
  std::uint64_t gradients = 0;  // contributions and sums of the steps in flight
  std::uint64_t data = 0;       // prefetched samples; the caller adds the data set
  std::uint64_t program = 0;

  std::uint64_t total() const { return engine + weights + gradients + data + program; }
};

/// The number of samples in the largest batch that a worker gives its engine: the larger of its
/// largest part and, if it evaluates, an evaluation batch.
std::int64_t largestBatch(const job::TrainingSpec& training, bool is_text, bool evaluates);

/// The engine of a worker that computes the parts of `block`. Only the lowest worker evaluates.
Engine::Options engineOptions(const job::TrainingSpec& training, const model::Network& network,
                              TreeNode block);

/// Whether the next forward pass may begin while the sums of a step come, layer by layer. Not with
/// clipping by the global norm, which is known once all sums are there; not where the network has
/// part state, which is sent last and read early; and not where the vector is so small
/// (kLeastOverlapped) that all of it comes at once: then each wait for a layer costs more than it
/// hides.
bool overlapsForward(const job::TrainingSpec& training, const ExchangePlan& plan);
inline constexpr std::int64_t kLeastOverlapped = 128LL * 1024;  // values: 512 KiB

/// What worker `index` of `job` needs, not counting the data set. Fails as
/// Engine::bytesFor() does.
Result<MemoryNeed> memoryNeed(const job::TrainingJob& job, const model::Network& network,
                              const ExchangePlan& plan, const Kernels& kernels, int index);

/// Why a worker that needs this much cannot run under `limit`, and what to change; empty if it can.
std::string memoryProblem(const MemoryNeed& need, std::optional<std::uint64_t> limit);

}  // namespace sumac::worker
