#include "worker/profile/step_profile.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "common/base/text.h"
#include "common/model/initializer.h"
#include "worker/memory/memory_need.h"
#include "worker/nn/compute_pool.h"
#include "worker/nn/engine.h"
#include "worker/optimizer/optimizer.h"
#include "worker/profile/layer_times.h"
#include "worker/tensor/aligned_buffer.h"

namespace sumac::worker {
namespace {

std::size_t sizeOf(std::int64_t count) {
  return static_cast<std::size_t>(count);
}

/// Made-up samples of one part, and where its gradient and state go.
struct PartData {
  std::int64_t first_sample = 0;
  std::int64_t count = 0;
  std::vector<float> inputs;
  std::vector<std::int32_t> tokens;
  std::vector<std::int32_t> labels;
  std::vector<float> recurrent;
  std::vector<float> statistics;
  std::vector<float> next_recurrent;
  std::vector<float> next_statistics;
};

/// Numbers in [0, 1), the same in every run.
class Draw {
 public:
  double next() {
    constexpr std::uint64_t kMultiplier = 6364136223846793005ULL;  // Knuth's, for 64 bits
    constexpr std::uint64_t kIncrement = 1442695040888963407ULL;
    constexpr int kShift = 11;  // the upper 53 bits
    state_ = state_ * kMultiplier + kIncrement;
    return static_cast<double>(state_ >> kShift) * 0x1.0p-53;
  }
  std::int32_t below(std::int64_t limit) {
    return static_cast<std::int32_t>(next() * static_cast<double>(limit));
  }

 private:
  std::uint64_t state_ = 1;
};

PartData makePart(const model::Network& network, std::int64_t first_sample, std::int64_t count,
                  Draw& draw) {
  PartData data;
  data.first_sample = first_sample;
  data.count = count;
  const std::size_t values = sizeOf(count * model::count(network.input));
  if (network.isText()) {
    data.tokens.resize(values);
    std::ranges::generate(data.tokens, [&] { return draw.below(network.vocabulary()); });
    data.labels.resize(values);
  } else {
    data.inputs.resize(values);
    std::ranges::generate(data.inputs, [&] { return static_cast<float>(draw.next()); });
    data.labels.resize(sizeOf(count));
  }
  std::ranges::generate(data.labels, [&] { return draw.below(network.classes); });
  data.recurrent.resize(sizeOf(count * network.recurrent));
  data.next_recurrent.resize(data.recurrent.size());
  data.statistics.assign(sizeOf(network.statistics), 1.0F);
  data.next_statistics.resize(data.statistics.size());
  return data;
}

/// One worker's passes over its share of a mini-batch.
class Passes {
 public:
  Passes(const model::Network& network, Engine& engine, const Share& share)
      : engine_(engine),
        scale_(1.0F / static_cast<float>(share.samples)),
        weights_(sizeOf(network.parameters)),
        gradient_(sizeOf(network.parameters)) {
    model::initialize(network, {}, /*seed=*/1, weights_.values());
    Draw draw;
    for (int part = 0; part < share.parts; ++part) {
      const std::int64_t begin = share.samples * part / share.parts;
      const std::int64_t end = share.samples * (part + 1) / share.parts;
      data_.push_back(makePart(network, begin, end - begin, draw));
    }
    for (std::size_t i = 0; i < data_.size(); ++i)
      parts_.push_back(gradientOf(data_[i], i == 0 ? Write::kReplace : Write::kAdd));
  }

  /// All parts once. `begin` is called before each call of the engine, which tells `passes` of the
  /// first part that it computes, `layers` too, and `gradients` of the last one.
  template <typename Begin>
  void run(PassObserver& passes, LayerObserver* layers, GradientObserver* gradients,
           const Begin& begin) {
    engine_.setWeights(weights_.values());
    const auto together = static_cast<std::size_t>(engine_.maxParts());
    for (std::span<PartGradient> left = parts_; !left.empty();) {
      const auto group = left.first(std::min(together, left.size()));
      group.front().target.passes = &passes;
      group.front().target.layers = layers;
      group.back().target.observer = gradients;
      begin();
      engine_.gradients(group, scale_);
      left = left.subspan(group.size());
    }
  }

  std::span<const float> gradient() const { return gradient_.values(); }
  std::span<float> weights() { return weights_.values(); }

 private:
  PartGradient gradientOf(PartData& data, Write write) {
    return {.part = {.batch = {.count = data.count,
                               .inputs = data.inputs,
                               .tokens = data.tokens,
                               .labels = data.labels},
                     .state = {.recurrent = data.recurrent, .statistics = data.statistics},
                     .step = 1,
                     .first_sample = data.first_sample},
            .target = {.values = gradient_.values(), .write = write},
            .next = {.recurrent = data.next_recurrent, .statistics = data.next_statistics}};
  }

  Engine& engine_;  // outlives us
  float scale_;
  AlignedBuffer weights_;
  AlignedBuffer gradient_;
  std::vector<PartData> data_;
  std::vector<PartGradient> parts_;
};

/// Tells the two passes apart.
class PassTimes final : public PassObserver {
 public:
  explicit PassTimes(const Clock& clock) : clock_(clock) {}

  void begin() {
    end();
    begun_ = clock_.now();
    is_open_ = true;
  }
  void onLoss() override { loss_ = clock_.now(); }
  /// The call of the engine that began last is over.
  void end() {
    if (!is_open_) return;
    forward_ += secondsBetween(begun_, loss_);
    backward_ += secondsBetween(loss_, clock_.now());
    is_open_ = false;
  }
  /// The sums since the last time, in seconds.
  std::pair<double, double> take() {
    return {std::exchange(forward_, 0), std::exchange(backward_, 0)};
  }

 private:
  const Clock& clock_;  // outlives us
  TimePoint begun_{};
  TimePoint loss_{};
  bool is_open_ = false;
  double forward_ = 0;
  double backward_ = 0;
};

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

void measurePasses(Passes& passes, const ProfileEffort& effort, const Clock& clock,
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

std::vector<LayerProfile> measureLayers(Passes& passes, const ProfileEffort& effort,
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

Timing measureUpdate(Passes& passes, const job::TrainingSpec& training, const Kernels& kernels,
                     ComputePool& pool, const ProfileEffort& effort, const Clock& clock) {
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

std::uint64_t mainMemory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return UINT64_MAX;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
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
  const auto bytes = Engine::bytesFor(network, kernels, options);
  if (!bytes) return bytes.error();
  if (*bytes <= mainMemory()) return {};
  return Error{ErrorCode::kInvalid, counted(share.samples, "sample") + " need " +
                                        bytesText(*bytes) + " of memory, this machine has " +
                                        bytesText(mainMemory()) + "; lower --batch-sizes"};
}

}  // namespace

Result<BatchProfile> profileStep(const job::TrainingSpec& training, const model::Network& network,
                                 const Kernels& kernels, const Share& share, const Clock& clock,
                                 const ProfileEffort& effort) {
  const Engine::Options options = optionsFor(training, network, share);
  if (const auto fits = checkShare(network, kernels, share, options); !fits) return fits.error();
  ComputePool pool(share.threads);
  const auto engine = Engine::create(network, kernels, pool, options);
  if (!engine) return engine.error();
  Passes passes(network, **engine, share);
  BatchProfile batch;
  batch.samples = share.samples;
  batch.parts = share.parts;
  batch.threads = share.threads;
  batch.workspace_bytes = static_cast<std::int64_t>((*engine)->bytes());
  measurePasses(passes, effort, clock, batch);
  batch.layers = measureLayers(passes, effort, clock, network, share.samples);
  batch.update = measureUpdate(passes, training, kernels, pool, effort, clock);
  shareUpdate(batch);
  return batch;
}

}  // namespace sumac::worker
