#pragma once

#include <cstdint>

#include "exchange/plan/exchange_plan.h"
#include "exchange/plan/part_tree.h"
#include "job/document/training_job.h"
#include "job/model/network.h"

// Not in engine/memory, though its numbers end there: it needs the exchange's plan and methods and
// no engine, and `sumac plan`, which asks as well, links none.

namespace sumac {

/// The number of samples in the largest batch that a worker gives its engine: the larger of its
/// largest part and, if it evaluates, an evaluation batch.
std::int64_t largestBatch(const job::TrainingSpec& training, bool is_text, bool evaluates);

/// The number of samples in the batches of an evaluation: as many as one part has, because an
/// engine has room for a part anyway, up to whole vectors and at most 64. Larger parts count whole.
/// Streams of text, whose recurrent state is carried along: up to 64.
std::int64_t evaluationBatch(const job::TrainingSpec& training, bool is_text);

/// The number of images whose losses are added one after another before such sums are: a multiple
/// of evaluationBatch(), so that the bits of a mean loss do not depend on the size of a batch.
std::int64_t evaluationSum(const job::TrainingSpec& training);

/// Parts of `block` that an engine computes together. Those of images are not: their layout is
/// filled by one part.
std::int64_t partsTogether(const job::TrainingSpec& training, const model::Network& network,
                           TreeNode block);

/// The samples that the engine of a worker with the parts of `block` has room for. Only
/// worker 0 evaluates.
std::int64_t samplesAtOnce(const job::TrainingSpec& training, const model::Network& network,
                           TreeNode block);

/// Whether the next forward pass may begin while the sums of a step come, layer by layer. Not with
/// clipping by the global norm, which is known once all sums are there; not where the network has
/// part state, which is sent last and read early; and not where the vector is so small
/// (kLeastOverlapped) that all of it comes at once: then each wait for a layer costs more than it
/// hides.
bool overlapsForward(const job::TrainingSpec& training, const ExchangePlan& plan);
inline constexpr std::int64_t kLeastOverlapped = 128LL * 1024;  // values: 512 KiB

/// What a worker keeps besides its engine, in bytes. A lower bound, as worker::MemoryNeed.
struct WorkerBuffers {
  std::uint64_t weights = 0;    // weights, optimizer state and part state
  std::uint64_t gradients = 0;  // contributions and sums of the steps in flight
  std::uint64_t data = 0;       // prefetched samples, without the data set
  std::uint64_t program = 0;

  std::uint64_t total() const { return weights + gradients + data + program; }
};

/// Of worker `index`.
WorkerBuffers workerBuffers(const job::TrainingJob& job, const model::Network& network,
                            const ExchangePlan& plan, int index);

/// What a server keeps, in bytes: its share of the contributions of one step, of the sums, and the
/// program. More than that only while steps overlap. Requires a job with servers.
std::uint64_t serverMemory(const job::TrainingJob& job, const ExchangePlan& plan);

}  // namespace sumac
