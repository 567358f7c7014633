#include "worker/profile/layer_times.h"

#include <algorithm>
#include <iterator>

#include "base/core/check.h"

namespace sumac::worker {
namespace {

double medianOf(std::vector<double> values) {
  return timingOf(std::move(values)).median;
}

}  // namespace

LayerTimes::LayerTimes(const model::Network& network, const Clock& clock)
    : network_(network),
      clock_(clock),
      now_(network.layers.size()),
      is_computed_(network.layers.size()),
      final_order_(network.layers.size()) {
  for (std::size_t i = 0; i < now_.size(); ++i)
    now_[i].tensors.resize(network.layers[i].tensors.size());
}

double LayerTimes::lap() {
  const TimePoint now = clock_.now();
  const double seconds = secondsBetween(last_, now);
  last_ = now;
  return seconds;
}

void LayerTimes::onForward(std::size_t index) {
  now_.at(index).forward += lap();
  is_computed_.at(index) = true;
}

void LayerTimes::onLoss() {
  now_.back().forward += lap();
  is_computed_.back() = true;
}

// What is announced in one piece may belong to several tensors: all but the first take no time.
void LayerTimes::onFinal(std::size_t first, std::size_t count) {
  double seconds = lap();
  for (std::size_t tensor = tensorAt(first); tensor < network_.tensors.size(); ++tensor) {
    const auto begin = static_cast<std::size_t>(network_.tensors[tensor].offset);
    if (begin >= first + count) break;
    for (std::size_t i = 0; i < network_.layers.size(); ++i) {
      const auto& tensors = network_.layers[i].tensors;
      const auto found = std::ranges::find(tensors, static_cast<int>(tensor));
      if (found == tensors.end()) continue;
      const auto place = static_cast<std::size_t>(found - tensors.begin());
      now_[i].tensors[place] += seconds;
      std::erase(final_order_[i], place);
      final_order_[i].push_back(place);
    }
    seconds = 0;
  }
}

std::size_t LayerTimes::tensorAt(std::size_t value) const {
  const auto after =
      std::ranges::upper_bound(network_.tensors, static_cast<std::int64_t>(value), {},
                               [](const model::Tensor& tensor) { return tensor.offset; });
  SUMAC_CHECK(after != network_.tensors.begin(), value);
  return static_cast<std::size_t>(after - network_.tensors.begin()) - 1;
}

void LayerTimes::onBackward(std::size_t index) {
  now_.at(index).input_gradient += lap();
}

void LayerTimes::finish() {
  all_.push_back(now_);
  for (Times& times : now_) {
    times.forward = 0;
    times.input_gradient = 0;
    std::ranges::fill(times.tensors, 0.0);
  }
}

LayerProfile LayerTimes::layerProfile(std::size_t index, std::int64_t samples) const {
  const auto median = [this](const auto& of) {
    std::vector<double> values;
    std::ranges::transform(all_, std::back_inserter(values), of);
    return medianOf(std::move(values));
  };
  const model::Layer& layer = network_.layers[index];
  LayerProfile profile;
  profile.name = layer.spec.name;
  profile.forward_seconds = median([&](const auto& layers) { return layers[index].forward; });
  profile.input_gradient_seconds =
      median([&](const auto& layers) { return layers[index].input_gradient; });
  profile.value_bytes =
      samples * model::count(layer.output) * static_cast<std::int64_t>(sizeof(float));
  for (const std::size_t place : final_order_[index]) {
    const model::Tensor& tensor = network_.tensors[static_cast<std::size_t>(layer.tensors[place])];
    profile.tensors.push_back({tensor.name, tensor.count(), median([&](const auto& layers) {
                                 return layers[index].tensors[place];
                               })});
  }
  return profile;
}

std::vector<LayerProfile> LayerTimes::layers(std::int64_t samples) const {
  SUMAC_CHECK(!all_.empty());
  std::vector<LayerProfile> layers;
  for (std::size_t i = 0; i < network_.layers.size(); ++i) {
    if (is_computed_[i]) layers.push_back(layerProfile(i, samples));
  }
  return layers;
}

}  // namespace sumac::worker
