#include <optional>
#include <variant>

#include "engine/image/operations.h"

namespace sumac::worker::image {
namespace {

/// Max-pooling where `argmax` is there, else the average.
class PoolOperation final : public Operation {
 public:
  PoolOperation(const Context& context, const SumacLanesPool& pool, bool is_max, const Value& x,
                const Value& y)
      : kernels_(context.kernels),
        pool_(context.pool),
        arena_(context.arena),
        shape_(pool),
        x_(x),
        y_(y) {
    if (is_max) argmax_ = context.reserveBytes(context.max_blocks * y.count() * context.lanes());
  }

  void forward(const Run& run) override {
    forEach(run, [&](std::size_t block, const SumacChannels& channels) {
      const float* const x = arena_.at(x_.data) + block * x_.stored() * kernels_->lanes;
      float* const y = arena_.at(y_.data) + block * y_.stored() * kernels_->lanes;
      if (argmax_) {
        kernels_->lanesMaxPool(&shape_, &channels, y, argmaxOf(block), x);
      } else {
        kernels_->lanesAveragePool(&shape_, &channels, y, x);
      }
    });
  }

  void backward(const Run& run, float* dy, std::span<float* const> dx) override {
    if (dx[0] == nullptr) return;
    forEach(run, [&](std::size_t block, const SumacChannels& channels) {
      float* const to = dx[0] + block * x_.count() * kernels_->lanes;
      const float* const from = dy + block * y_.count() * kernels_->lanes;
      if (argmax_) {
        kernels_->lanesMaxPoolBackward(&shape_, &channels, to, from, argmaxOf(block));
      } else {
        kernels_->lanesAveragePoolBackward(&shape_, &channels, to, from);
      }
    });
  }

 private:
  std::uint8_t* argmaxOf(std::size_t block) {
    return arena_.bytesAt(*argmax_) + block * y_.count() * kernels_->lanes;
  }

  template <typename Work>
  void forEach(const Run& run, const Work& work) {
    const std::size_t window = shape_.kernel_rows * shape_.kernel_columns;
    const Split split(shape_.y.channels, 2 * window * shape_.y.rows * shape_.y.columns);
    pool_.run(run.blocks * split.count, [&](std::size_t task) {
      const std::size_t part = task % split.count;
      work(task / split.count, SumacChannels{split.begin(part), split.size(part)});
    });
  }

  Kernels kernels_;
  ComputePool& pool_;  // outlives us
  Arena& arena_;       // outlives us
  SumacLanesPool shape_;
  Value x_;
  Value y_;
  std::optional<Arena::Piece> argmax_;
};

template <typename Spec>
SumacLanesPool shapeOf(const Spec& spec, const Value& x, const Value& y) {
  return {.x = x.image,
          .y = y.image,
          .kernel_rows = extent(spec.kernel),
          .kernel_columns = extent(spec.kernel),
          .stride = extent(spec.stride),
          .padding = extent(spec.padding)};
}

}  // namespace

std::unique_ptr<Operation> makeMaxPool(const Context& context, const model::MaxPool& spec,
                                       const Value& x, const Value& y) {
  return std::make_unique<PoolOperation>(context, shapeOf(spec, x, y), true, x, y);
}

std::unique_ptr<Operation> makeAveragePool(const Context& context, const model::AveragePool& spec,
                                           const Value& x, const Value& y) {
  return std::make_unique<PoolOperation>(context, shapeOf(spec, x, y), false, x, y);
}

std::unique_ptr<Operation> makeGlobalAveragePool(const Context& context, const Value& x,
                                                 const Value& y) {
  // One window a channel, whether the output counts as a vector or as images of one pixel.
  SumacImage pixel = y.image;
  if (pixel.channels != x.image.channels) pixel = {x.image.channels, 1, 1, 0};
  const SumacLanesPool shape{.x = x.image,
                             .y = pixel,
                             .kernel_rows = x.image.rows,
                             .kernel_columns = x.image.columns,
                             .stride = 1,
                             .padding = 0};
  return std::make_unique<PoolOperation>(context, shape, false, x, y);
}

}  // namespace sumac::worker::image
