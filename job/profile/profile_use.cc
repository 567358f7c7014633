#include "job/profile/profile_use.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/core/check.h"
#include "base/core/units.h"

namespace sumac {
namespace {

constexpr const char* kMeasureAgain = "; measure again with sumac profile";

/// How far beyond the measured sizes of a part times are computed.
constexpr double kReach = 2;

std::string coresText(const ProfileMachine& machine) {
  std::string text = counted(machine.cores, "core");
  if (!machine.quota) return text;
  // Hundredths, as control groups are set.
  constexpr double kHundredths = 100;
  const std::int64_t quota = std::lround(*machine.quota * kHundredths);
  text += " and a limit of " + std::to_string(quota) + " %";
  return text;
}

std::string differs(const std::string& what, const std::string& there, const std::string& here) {
  if (there == here || here.empty()) return {};
  return "the profile is of " + what + " " + there + ", this is " + here + kMeasureAgain;
}

std::string whyNotHere(const ProfileMachine& there, const ProfileMachine& here) {
  if (auto text = differs("the machine", there.host, here.host); !text.empty()) return text;
  if (auto text = differs("the CPU", there.cpu, here.cpu); !text.empty()) return text;
  if (auto text = differs("the kernels", there.kernels, here.kernels); !text.empty()) return text;
  if (here.cores == 0) return {};
  return differs("a process with", coresText(there), coresText(here));
}

double partSamples(const BatchProfile& batch) {
  return static_cast<double>(batch.samples) / batch.parts;
}

Timing scaled(const Timing& timing, double factor) {
  return {factor * timing.median, factor * timing.lower, factor * timing.upper};
}

Timing between(const Timing& a, const Timing& b, double place) {
  return {std::lerp(a.median, b.median, place), std::lerp(a.lower, b.lower, place),
          std::lerp(a.upper, b.upper, place)};
}

LayerProfile scaled(LayerProfile layer, double factor) {
  layer.forward_seconds *= factor;
  layer.input_gradient_seconds *= factor;
  for (TensorProfile& tensor : layer.tensors)
    tensor.gradient_seconds *= factor;
  layer.value_bytes = std::llround(factor * static_cast<double>(layer.value_bytes));
  return layer;
}

/// What `factor` times the passes of `batch` take; an update is one, however many there are.
BatchProfile timesPasses(BatchProfile batch, double factor) {
  batch.forward = scaled(batch.forward, factor);
  batch.backward = scaled(batch.backward, factor);
  for (LayerProfile& layer : batch.layers)
    layer = scaled(layer, factor);
  return batch;
}

/// Between two sizes of a part. The layers are those of `a`, in proportion.
BatchProfile between(const BatchProfile& a, const BatchProfile& b, double place) {
  BatchProfile batch = a;
  batch.forward = between(a.forward, b.forward, place);
  batch.backward = between(a.backward, b.backward, place);
  batch.workspace_bytes = std::max(a.workspace_bytes, b.workspace_bytes);
  const double forward = batch.forward.median / a.forward.median;
  const double backward = batch.backward.median / a.backward.median;
  for (LayerProfile& layer : batch.layers) {
    const double seconds = layer.forward_seconds * forward;
    layer = scaled(layer, backward);
    layer.forward_seconds = seconds;
  }
  return batch;
}

/// How the times of parts below the smallest measured one, `first`, shrink with their samples, by
/// the size above it: 1 in proportion, 0 not at all, as where a pass has a floor.
double shrinking(const JobProfile& profile, const BatchProfile& first) {
  const BatchProfile* second = nullptr;
  for (const BatchProfile& batch : profile.batches) {
    if (batch.threads != first.threads || partSamples(batch) <= partSamples(first)) continue;
    if (second == nullptr || partSamples(batch) < partSamples(*second)) second = &batch;
  }
  if (second == nullptr) return 1;
  const auto seconds = [](const BatchProfile& batch) {
    return (batch.forward.median + batch.backward.median) / batch.parts;
  };
  const double longer = seconds(*second) / seconds(first) - 1;
  return std::clamp(longer / (partSamples(*second) / partSamples(first) - 1), 0.0, 1.0);
}

/// One part of so many samples, by `threads`; nothing where none of its size was measured.
std::optional<BatchProfile> partOf(const JobProfile& profile, double samples, int threads) {
  const BatchProfile* below = nullptr;
  const BatchProfile* above = nullptr;
  for (const BatchProfile& batch : profile.batches) {
    if (batch.threads != threads) continue;
    const double size = partSamples(batch);
    if (size <= samples && (below == nullptr || size > partSamples(*below))) below = &batch;
    if (size >= samples && (above == nullptr || size < partSamples(*above))) above = &batch;
  }
  const auto one = [](const BatchProfile& batch) { return timesPasses(batch, 1.0 / batch.parts); };
  if (below != nullptr && above != nullptr) {
    const double width = partSamples(*above) - partSamples(*below);
    if (width <= 0) return one(*below);
    return between(one(*below), one(*above), (samples - partSamples(*below)) / width);
  }
  const BatchProfile* const nearest = below != nullptr ? below : above;
  if (nearest == nullptr) return std::nullopt;
  const double factor = samples / partSamples(*nearest);
  if (factor > kReach || factor < 1 / kReach) return std::nullopt;
  return timesPasses(one(*nearest),
                     factor > 1 ? factor : 1 - (1 - factor) * shrinking(profile, *nearest));
}

}  // namespace

std::string whyNot(const JobProfile& profile, const ProfileNeed& need) {
  if (auto text = differs("Sumac", profile.version, need.version); !text.empty()) return text;
  if (auto text = whyNotHere(profile.machine, need.machine); !text.empty()) return text;
  const ProfileSubject& there = profile.subject;
  const ProfileSubject& here = need.subject;
  if (auto text = differs("the network", there.network, here.network); !text.empty()) return text;
  if (!here.sha256.empty() && there.sha256 != here.sha256)
    return "the profile is of another network " + there.network + kMeasureAgain;
  return differs("the optimizer", there.optimizer, here.optimizer);
}

std::string notProfiledText(const Share& share) {
  return "the profile has no batch near " + counted(share.samples, "sample") + " in " +
         counted(share.parts, "part") + " by " + counted(share.threads, "thread") +
         "; measure it with sumac profile --batch-sizes " + std::to_string(share.samples) +
         " --threads " + std::to_string(share.threads);
}

Result<BatchProfile> batchFor(const JobProfile& profile, const Share& share) {
  SUMAC_CHECK(share.samples >= 1 && share.parts >= 1 && share.threads >= 1);
  for (const BatchProfile& batch : profile.batches) {
    if (batch.samples == share.samples && batch.parts == share.parts &&
        batch.threads == share.threads)
      return batch;
  }
  const double samples = static_cast<double>(share.samples) / share.parts;
  auto part = partOf(profile, samples, share.threads);
  if (!part) return Error{ErrorCode::kNotFound, notProfiledText(share)};
  BatchProfile batch = timesPasses(*std::move(part), share.parts);
  batch.samples = share.samples;
  batch.parts = share.parts;
  return batch;
}

BackwardTimes backwardTimes(const BatchProfile& batch) {
  BackwardTimes times;
  double sum = 0;
  double waiting = 0;  // since the last tensor became final
  for (auto layer = batch.layers.rbegin(); layer != batch.layers.rend(); ++layer) {
    for (const TensorProfile& tensor : layer->tensors) {
      const double seconds = waiting + tensor.gradient_seconds;
      times.tensors.push_back({tensor.name, tensor.values, seconds});
      sum += seconds;
      waiting = 0;
    }
    waiting += layer->input_gradient_seconds;
  }
  sum += waiting;
  if (sum > 0) {
    const double factor = batch.backward.median / sum;
    for (GradientTime& tensor : times.tensors)
      tensor.seconds *= factor;
    times.rest_seconds = waiting * factor;
  } else if (times.tensors.empty()) {
    times.rest_seconds = batch.backward.median;
  } else {
    times.tensors.front().seconds = batch.backward.median;
  }
  return times;
}

}  // namespace sumac
