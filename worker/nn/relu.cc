#include "worker/nn/layers.h"

namespace sumac::worker {
namespace {

class ReluEngine final : public LayerEngine {
 public:
  explicit ReluEngine(const LayerContext& context)
      : kernels_(context.kernels), values_(model::count(context.layer.output)) {}

  void forward(const Pass& pass) override {
    kernels_->relu(pass.y, pass.x, static_cast<std::size_t>(values_ * pass.samples));
  }

  // From the outputs alone: the inputs were written over.
  void backward(const BackwardPass& pass) override {
    if (pass.dx == nullptr) return;
    kernels_->reluBackward(pass.dx, pass.dy, pass.forward.y,
                           static_cast<std::size_t>(values_ * pass.forward.samples));
  }

  bool inPlace() const override { return true; }

 private:
  Kernels kernels_;
  std::int64_t values_;
};

}  // namespace

std::unique_ptr<LayerEngine> makeRelu(const LayerContext& context) {
  return std::make_unique<ReluEngine>(context);
}

}  // namespace sumac::worker
