#include "engine/sequence/layer.h"
#include "engine/sequence/split.h"

namespace sumac::worker::sequence {
namespace {

constexpr std::size_t kUnit = 1024;  // values of one task at least

class ActivationLayer final : public Layer {
 public:
  ActivationLayer(const LayerContext& context, int activation)
      : kernels_(context.kernels),
        activation_(activation),
        arena_(context.arena),
        pool_(context.pool),
        width_(context.outputs()),
        y_(context.arena.reserve(context.maxRows() * context.layer.output.back())) {}

  float* forward(const Pass& pass, const float* x) override {
    float* const y = arena_.at(y_);
    split(pool_, pass.rows * width_, kUnit, [&](Range values) {
      kernels_->activate(activation_, y + values.begin, x + values.begin, values.size());
    });
    return y;
  }

  void backward(const Pass& pass, const float* /*x*/, const Gradients& gradients) override {
    if (gradients.dx == nullptr) return;
    const float* const y = arena_.at(y_);
    split(pool_, pass.rows * width_, kUnit, [&](Range values) {
      kernels_->activateBackward(activation_, gradients.dx + values.begin,
                                 gradients.dy + values.begin, y + values.begin, values.size());
    });
  }

 private:
  Kernels kernels_;
  int activation_;
  Arena& arena_;       // outlives us
  ComputePool& pool_;  // outlives us
  std::size_t width_;
  Arena::Piece y_;
};

}  // namespace

std::unique_ptr<Layer> makeActivation(const LayerContext& context, int activation) {
  return std::make_unique<ActivationLayer>(context, activation);
}

}  // namespace sumac::worker::sequence
