#include "worker/profile/step_profile.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "base/core/file.h"
#include "base/core/units.h"
#include "engine/make/make_engine.h"
#include "engine/memory/memory_limit.h"
#include "engine/memory/memory_need.h"
#include "engine/nn/compute_pool.h"
#include "engine/optimizer/optimizer.h"
#include "kernels/aligned_buffer.h"
#include "worker/profile/layer_times.h"
#include "worker/profile/neighbours.h"
#include "worker/profile/synthetic_passes.h"

namespace sumac::worker {
namespace {

/// Calls `measure` as often as the effort says, once more before that to warm up.
template <typename Measure>
void repeat(const ProfileEffort& effort, const Clock& clock, const Measure& measure) {
  measure(/*counts=*/false);
  const TimePoint begun = clock.now();
  for (int i = 0; i < effort.most_samples; ++i) {
    measure(/*counts=*/true);
    if (i + 1 >= effort.least_samples && clock.now() - begun >= effort.least_time) break;
  }
}

void measurePasses(SyntheticPasses& passes, const ProfileEffort& effort, const Clock& clock,
                   BatchProfile& batch) {
  std::vector<double> forward;
  std::vector<double> backward;
  PassTimes times(clock);
  repeat(effort, clock, [&](bool counts) {
    passes.run(times, nullptr, nullptr, [&times] { times.begin(); });
    times.end();
    const auto [first, second] = times.take();
    if (!counts) return;
    forward.push_back(first);
    backward.push_back(second);
  });
  batch.forward = timingOf(std::move(forward));
  batch.backward = timingOf(std::move(backward));
}

std::vector<LayerProfile> measureLayers(SyntheticPasses& passes, const ProfileEffort& effort,
                                        const Clock& clock, const model::Network& network,
                                        std::int64_t samples) {
  LayerTimes times(network, clock);
  repeat(effort, clock, [&](bool /*counts*/) {
    passes.run(times, &times, &times, [&times] { times.begin(); });
    times.finish();
  });
  return times.layers(samples);
}

/// Every value of an update takes the same time: layers share it by their parameters.
void shareUpdate(BatchProfile& batch) {
  const auto valuesOf = [](const LayerProfile& layer) {
    double values = 0;
    for (const TensorProfile& tensor : layer.tensors)
      values += static_cast<double>(tensor.values);
    return values;
  };
  double all = 0;
  for (const LayerProfile& layer : batch.layers)
    all += valuesOf(layer);
  for (LayerProfile& layer : batch.layers) {
    if (all > 0) layer.update_seconds = batch.update.median * valuesOf(layer) / all;
  }
}

Timing measureUpdate(SyntheticPasses& passes, const job::TrainingSpec& training,
                     const Kernels& kernels, ComputePool& pool, const ProfileEffort& effort,
                     const Clock& clock) {
  const auto parameters = static_cast<std::int64_t>(passes.gradient().size());
  Optimizer optimizer({.optimizer = training.optimizer,
                       .schedule = training.schedule,
                       .clip_global_norm = training.clip_global_norm,
                       .clip_value = training.clip_value},
                      kernels, parameters);
  AlignedBuffer updated(passes.gradient().size());
  std::vector<double> seconds;
  repeat(effort, clock, [&](bool counts) {
    const TimePoint begun = clock.now();
    optimizer.apply(1, passes.gradient(), passes.weights(), updated.values(), pool);
    if (counts) seconds.push_back(secondsBetween(begun, clock.now()));
  });
  return timingOf(std::move(seconds));
}

/// Passes of another worker. What it is given outlives it.
Neighbours::Work passesBeside(const model::Network& network, const Kernels& kernels,
                              const Engine::Options& options, const Share& share) {
  return [&network, &kernels, &options, share](const std::function<void()>& onPass,
                                               const std::stop_token& stop) {
    ComputePool pool(share.threads);
    const auto engine = makeEngine(network, kernels, pool, options);
    if (!engine) return;  // as the one that is measured, which says so
    SyntheticPasses passes(network, **engine, share);
    const SystemClock clock;
    PassTimes times(clock);
    while (!stop.stop_requested()) {
      passes.run(times, nullptr, nullptr, [&times] { times.begin(); });
      onPass();
    }
  };
}

std::uint64_t mainMemory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return UINT64_MAX;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
}

/// That neighbours may take, where the worker that is measured has `own`.
std::uint64_t memoryLeft(std::uint64_t own) {
  constexpr std::uint64_t kMostText = 64UL * 1024;
  const auto meminfo = readTextFile("/proc/meminfo", kMostText);
  const auto available = meminfo ? availableMemory(*meminfo) : std::nullopt;
  const std::uint64_t limit = memoryLimit("/").value_or(UINT64_MAX);
  return std::min(available.value_or(0), limit - std::min(limit, own));
}

/// The engine of a worker with such a share.
Engine::Options optionsFor(const job::TrainingSpec& training, const model::Network& network,
                           const Share& share) {
  job::TrainingSpec one = training;
  one.batch_size = share.samples;
  one.logical_workers = share.parts;
  Engine::Options options = engineOptions(one, network, {0, share.parts});
  // Its evaluations are not measured.
  const std::int64_t part = (share.samples + share.parts - 1) / share.parts;
  options.max_samples = options.max_parts * part;
  return options;
}

Result<void> checkShare(const model::Network& network, const Kernels& kernels, const Share& share,
                        const Engine::Options& options) {
  if (share.samples < share.parts) {
    return Error{ErrorCode::kInvalid, counted(share.samples, "sample") + " cannot be cut into " +
                                          counted(share.parts, "part") + "; raise --batch-sizes"};
  }
  const auto bytes = engineBytes(network, kernels, options);
  if (!bytes) return bytes.error();
  if (*bytes <= mainMemory()) return {};
  return Error{ErrorCode::kInvalid, counted(share.samples, "sample") + " need " +
                                        bytesText(*bytes) + " of memory, this machine has " +
                                        bytesText(mainMemory()) + "; lower --batch-sizes"};
}

/// How many times as long passes take while others compute on all other cores, or on as many as
/// memory allows; 1 where none does.
double measureCrowded(SyntheticPasses& passes, const ProfileEffort& effort, const Clock& clock,
                      const BatchProfile& alone, const Neighbours::Work& work) {
  constexpr Duration kPatience = std::chrono::minutes(1);  // data is made first, of gigabytes
  const std::uint64_t each = static_cast<std::uint64_t>(alone.workspace_bytes) + passes.bytes();
  const int count = neighboursFor(effort.cores, alone.threads, each, memoryLeft(each));
  Neighbours neighbours(count, work);
  if (neighbours.awaitFirstPasses(kPatience) == 0) return 1;
  BatchProfile crowded;
  measurePasses(passes, effort, clock, crowded);
  const double before = alone.forward.median + alone.backward.median;
  return std::max(1.0, (crowded.forward.median + crowded.backward.median) / before);
}

}  // namespace

Result<BatchProfile> profileStep(const job::TrainingSpec& training, const model::Network& network,
                                 const Kernels& kernels, const Share& share, const Clock& clock,
                                 const ProfileEffort& effort) {
  const Engine::Options options = optionsFor(training, network, share);
  if (const auto fits = checkShare(network, kernels, share, options); !fits) return fits.error();
  ComputePool pool(share.threads);
  const auto engine = makeEngine(network, kernels, pool, options);
  if (!engine) return engine.error();
  SyntheticPasses passes(network, **engine, share);
  BatchProfile batch;
  batch.samples = share.samples;
  batch.parts = share.parts;
  batch.threads = share.threads;
  batch.workspace_bytes = static_cast<std::int64_t>((*engine)->bytes());
  measurePasses(passes, effort, clock, batch);
  batch.crowded =
      measureCrowded(passes, effort, clock, batch, passesBeside(network, kernels, options, share));
  batch.layers = measureLayers(passes, effort, clock, network, share.samples);
  batch.update = measureUpdate(passes, training, kernels, pool, effort, clock);
  shareUpdate(batch);
  return batch;
}

}  // namespace sumac::worker
