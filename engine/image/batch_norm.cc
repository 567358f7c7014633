#include <variant>

#include "engine/image/operations.h"

namespace sumac::worker::image {
namespace {

/// Normalises every channel over the samples of the part; evaluation takes the running statistics
/// instead.
class BatchNormOperation final : public Operation {
 public:
  BatchNormOperation(const Context& context, const Fused& fused, const Value& x, const Value& y)
      : kernels_(context.kernels), pool_(context.pool), arena_(context.arena), x_(x), y_(y) {
    const model::Layer& layer = context.layer(fused);
    weights_ = weightsOf(context.network, layer);
    const auto& spec = std::get<model::BatchNorm>(layer.spec.kind);
    epsilon_ = static_cast<float>(spec.epsilon);
    momentum_ = static_cast<float>(spec.momentum);
    weight_ = context.network.tensors.at(extent(layer.tensors.at(0))).offset;
    bias_ = context.network.tensors.at(extent(layer.tensors.at(1))).offset;
    statistics_ = layer.statistics.offset;
    // A vector's features are channels of one pixel.
    if (layer.input.size() == 1) {
      x_.image = {x_.count(), 1, 1, 0};
      y_.image = x_.image;
    }
    mean_ = context.reserve(x_.image.channels);
    inverse_ = context.reserve(x_.image.channels);
  }

  void forward(const Run& run) override {
    forEachChannel(run, [&](std::size_t channel) {
      const SumacLanesNorm norm = shapeOf(run);
      const SumacLanesNormChannel one = run.training ? measure(run, channel) : recall(run, channel);
      kernels_->lanesNormForward(&norm, &one, arena_.at(y_.data), arena_.at(x_.data));
    });
  }

  void backward(const Run& run, float* dy, std::span<float* const> dx) override {
    forEachChannel(run, [&](std::size_t channel) {
      const SumacLanesNorm norm = shapeOf(run);
      const SumacLanesNormChannel one =
          channelOf(run, channel, arena_.at(mean_)[channel], arena_.at(inverse_)[channel]);
      const SumacLanesNormBackward back{.dx = dx[0],
                                        .dweight = run.gradient + weight_ + channel,
                                        .dbias = run.gradient + bias_ + channel,
                                        .accumulate = run.accumulate ? 1 : 0,
                                        .dy = dy,
                                        .x = arena_.at(x_.data)};
      kernels_->lanesNormBackward(&norm, &one, &back);
    });
    run.announce(weights_);
  }

 private:
  SumacLanesNorm shapeOf(const Run& run) const {
    return {.x = x_.image, .y = y_.image, .images = run.images};
  }

  SumacLanesNormChannel channelOf(const Run& run, std::size_t channel, float mean,
                                  float inverse) const {
    return {.channel = channel,
            .mean = mean,
            .inverse = inverse,
            .weight = run.weights[extent(weight_) + channel],
            .bias = run.weights[extent(bias_) + channel]};
  }

  /// The part's own statistics; the running ones move towards them, with the unbiased variance.
  SumacLanesNormChannel measure(const Run& run, std::size_t channel) {
    const SumacLanesNorm norm = shapeOf(run);
    float mean = 0;
    float variance = 0;
    kernels_->lanesNormStatistics(&norm, arena_.at(x_.data), channel, &mean, &variance);
    arena_.at(mean_)[channel] = mean;
    arena_.at(inverse_)[channel] = kernels_->lanesNormInverse(variance, epsilon_);
    const std::size_t values = run.images * x_.pixels();
    const float unbiased =
        values < 2 ? variance
                   : variance * (static_cast<float>(values) / static_cast<float>(values - 1));
    const std::size_t at = extent(statistics_) + channel;
    const std::size_t spread = at + x_.image.channels;
    run.next_statistics[at] = (1.0F - momentum_) * run.statistics[at] + momentum_ * mean;
    run.next_statistics[spread] =
        (1.0F - momentum_) * run.statistics[spread] + momentum_ * unbiased;
    return channelOf(run, channel, mean, arena_.at(inverse_)[channel]);
  }

  SumacLanesNormChannel recall(const Run& run, std::size_t channel) {
    const float* const running = run.statistics + statistics_ + channel;
    return channelOf(run, channel, running[0],
                     kernels_->lanesNormInverse(running[x_.image.channels], epsilon_));
  }

  template <typename Work>
  void forEachChannel(const Run& run, const Work& work) {
    const Split split(x_.image.channels, run.blocks * x_.pixels() * 4);
    pool_.run(split.count, [&](std::size_t task) {
      for (std::size_t channel = split.begin(task); channel < split.begin(task + 1); ++channel)
        work(channel);
    });
  }

  Kernels kernels_;
  ComputePool& pool_;  // outlives us
  Arena& arena_;       // outlives us
  Value x_;
  Value y_;
  float epsilon_ = 0;
  float momentum_ = 0;
  Extent weights_;
  std::int64_t weight_ = 0;
  std::int64_t bias_ = 0;
  std::int64_t statistics_ = 0;
  Arena::Piece mean_ = 0;
  Arena::Piece inverse_ = 0;
};

}  // namespace

std::unique_ptr<Operation> makeBatchNorm(const Context& context, const Fused& fused, const Value& x,
                                         const Value& y) {
  return std::make_unique<BatchNormOperation>(context, fused, x, y);
}

}  // namespace sumac::worker::image
