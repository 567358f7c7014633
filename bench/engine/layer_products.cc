#include "bench/engine/layer_products.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <utility>

#include "engine/image/block_group.h"
#include "kernels/aligned_buffer.h"
#include "kernels/kernels.h"

namespace sumac::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kKernel = 3;

SumacLanesConv shapeOf(const LayerOptions& options) {
  const SumacImage image{options.channels, options.rows, options.columns, kKernel / 2};
  return {.x = image,
          .y = image,
          .out_rows = options.rows,
          .out_columns = options.columns,
          .kernel = kKernel,
          .stride = 1,
          .padding = kKernel / 2,
          .groups = 1,
          .activation = kSumacIdentity,
          .pool = 0};
}

/// The layer's memory, and its products in the order and the groups of blocks in which the engine
/// computes them.
class Layer {
 public:
  Layer(const LayerOptions& options, Kernels kernels)
      : kernels_(std::move(kernels)),
        conv_(shapeOf(options)),
        blocks_(std::max<std::size_t>(options.batch / kernels_->lanes, 1)),
        x_block_(options.channels * (options.rows + 2) * (options.columns + 2) * kernels_->lanes),
        dz_block_(kernels_->lanesConvGradientSize(&conv_)),
        group_(worker::image::blocksPerGroup({.gradients = dz_block_,
                                              .inputs = x_block_,
                                              .input_reads = kernels_->lanesConvPanelRows(&conv_),
                                              .sums = kernels_->lanesConvWeightSums(&conv_)},
                                             blocks_)),
        x_(blocks_ * x_block_),
        y_(blocks_ * x_block_),
        dz_(blocks_ * dz_block_),
        weights_(options.channels * options.channels * kKernel * kKernel),
        panels_(weights_.size()),
        gradient_(weights_.size()),
        sums_(group_ < blocks_ ? kernels_->lanesConvWeightSums(&conv_) : 1) {
    for (AlignedBuffer* const buffer : {&x_, &dz_, &weights_}) {
      for (std::size_t i = 0; i < buffer->size(); ++i)
        buffer->data()[i] = static_cast<float>(i % 1000) * 1e-3F - 0.5F;
    }
  }

  double operations() const {
    const auto products = static_cast<double>(weights_.size() * conv_.out_rows * conv_.out_columns);
    return 2 * products * static_cast<double>(blocks_ * kernels_->lanes);
  }

  void forward() {
    kernels_->lanesConvPack(&conv_, panels_.data(), weights_.data());
    for (std::size_t block = 0; block < blocks_; ++block) {
      const SumacLanesConvForward forward{.y = y_.data() + block * x_block_,
                                          .argmax = nullptr,
                                          .x = x_.data() + block * x_block_,
                                          .panels = panels_.data(),
                                          .bias = nullptr,
                                          .first_row = 0,
                                          .rows = conv_.y.rows};
      kernels_->lanesConvForward(&conv_, &forward);
    }
  }

  void weightGradient() {
    for (std::size_t block = 0; block < blocks_; block += group_) {
      const std::size_t size = std::min(group_, blocks_ - block);
      const SumacLanesConvWeights back{.dw = gradient_.data(),
                                       .accumulate = 0,
                                       .sums = group_ < blocks_ ? sums_.data() : nullptr,
                                       .begins = block == 0 ? 1 : 0,
                                       .ends = block + size == blocks_ ? 1 : 0,
                                       .x = x_.data() + block * x_block_,
                                       .x_stride = x_block_,
                                       .dz = dz_.data() + block * dz_block_,
                                       .dz_stride = dz_block_,
                                       .blocks = size,
                                       .first_panel = 0,
                                       .panels = kernels_->lanesConvWeightPanels(&conv_)};
      kernels_->lanesConvBackwardWeights(&conv_, &back);
    }
  }

  void inputGradient() {
    kernels_->lanesConvPackBackward(&conv_, panels_.data(), weights_.data());
    for (std::size_t block = 0; block < blocks_; ++block) {
      kernels_->lanesConvBackwardData(&conv_, y_.data() + block * x_block_,
                                      dz_.data() + block * dz_block_, panels_.data(), 0,
                                      conv_.x.rows);
    }
  }

 private:
  Kernels kernels_;
  SumacLanesConv conv_;
  std::size_t blocks_;
  std::size_t x_block_;
  std::size_t dz_block_;
  std::size_t group_;
  AlignedBuffer x_;
  AlignedBuffer y_;
  AlignedBuffer dz_;
  AlignedBuffer weights_;
  AlignedBuffer panels_;
  AlignedBuffer gradient_;
  AlignedBuffer sums_;
};

/// Of processor time, in seconds: what else runs does not count, though it takes cache.
double processorTime() {
  std::timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

template <typename Function>
void keepBest(double& best, double operations, const Function& function) {
  const double began = processorTime();
  function();
  best = std::max(best, 1e-9 * operations / (processorTime() - began));
}

}  // namespace

Result<LayerOptions> layerFromText(const std::string& text) {
  LayerOptions options;
  char rest = 0;
  const int read = std::sscanf(text.c_str(), "%zux%zux%zu%c", &options.channels, &options.rows,
                               &options.columns, &rest);
  constexpr std::size_t kMost = 4096;
  const auto isFine = [](std::size_t n) { return n >= 1 && n <= kMost; };
  if (read != 3 || !isFine(options.channels) || !isFine(options.rows) || !isFine(options.columns)) {
    return Error{ErrorCode::kInvalid,
                 "\"" + text + "\" is not a shape; write CHANNELSxROWSxCOLUMNS as in 64x56x56"};
  }
  return options;
}

Result<LayerRates> measureLayer(const LayerOptions& options, double seconds) {
  auto kernels = Kernels::loadBest(options.kernels);
  if (!kernels) return kernels.error();
  Layer layer(options, *std::move(kernels));
  const double operations = layer.operations();
  LayerRates rates;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  do {
    keepBest(rates.forward, operations, [&] { layer.forward(); });
    keepBest(rates.weight_gradient, operations, [&] { layer.weightGradient(); });
    keepBest(rates.input_gradient, operations, [&] { layer.inputGradient(); });
  } while (Clock::now() < end);
  return rates;
}

}  // namespace sumac::bench
