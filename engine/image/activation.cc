#include "engine/image/image_rows.h"
#include "engine/image/operations.h"

namespace sumac::worker::image {
namespace {

/// An activation that is not fused into a convolution or a dense layer.
class ActivationOperation final : public Operation {
 public:
  ActivationOperation(const Context& context, int activation, const Value& x, const Value& y)
      : kernels_(context.kernels),
        pool_(context.pool),
        arena_(context.arena),
        activation_(activation),
        x_(x),
        y_(y) {
    shareShape({&x_, &y_});
  }

  void forward(const Run& run) override {
    const std::size_t lanes = kernels_->lanes;
    forEachRow(pool_, y_, run.blocks, kCost, [&](const Row& row) {
      kernels_->activate(activation_, arena_.at(y_.data) + borderedAt(y_, row, lanes),
                         arena_.at(x_.data) + borderedAt(x_, row, lanes), y_.image.columns * lanes);
    });
  }

  void backward(const Run& run, float* dy, std::span<float* const> dx) override {
    if (dx[0] == nullptr) return;
    const std::size_t lanes = kernels_->lanes;
    forEachRow(pool_, y_, run.blocks, kCost, [&](const Row& row) {
      const std::size_t at = plainAt(y_, row, lanes);
      kernels_->activateBackward(activation_, dx[0] + at, dy + at,
                                 arena_.at(y_.data) + borderedAt(y_, row, lanes),
                                 y_.image.columns * lanes);
    });
  }

 private:
  static constexpr std::size_t kCost = 8;

  Kernels kernels_;
  ComputePool& pool_;  // outlives us
  Arena& arena_;       // outlives us
  int activation_;
  Value x_;
  Value y_;
};

}  // namespace

std::unique_ptr<Operation> makeActivation(const Context& context, const Fused& fused,
                                          const Value& x, const Value& y) {
  return std::make_unique<ActivationOperation>(context, fused.activation, x, y);
}

}  // namespace sumac::worker::image
