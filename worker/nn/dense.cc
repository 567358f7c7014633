#include "worker/nn/layers.h"

namespace sumac::worker {
namespace {

// y = x W^T + b: W is [outputs][inputs], x and y are [sample][value].
class DenseEngine final : public LayerEngine {
 public:
  explicit DenseEngine(const LayerContext& context)
      : kernels_(context.kernels),
        inputs_(static_cast<std::size_t>(model::count(context.layer.input))),
        outputs_(static_cast<std::size_t>(model::count(context.layer.output))),
        weight_(context.offset(0)),
        bias_(context.offset(1)) {}

  void forward(const Pass& pass) override {
    const auto samples = static_cast<std::size_t>(pass.samples);
    kernels_->fillRows(pass.y, pass.weights + bias_, samples, outputs_);
    multiply({.m = samples,
              .n = outputs_,
              .k = inputs_,
              .a = pass.x,
              .a_stride = inputs_,
              .transpose_a = 0,
              .b = pass.weights + weight_,
              .b_stride = inputs_,
              .transpose_b = 1,
              .c = pass.y,
              .c_stride = outputs_,
              .accumulate = 1});
  }

  void backward(const BackwardPass& pass) override {
    const auto samples = static_cast<std::size_t>(pass.forward.samples);
    kernels_->columnSums(pass.gradient + bias_, pass.dy, samples, outputs_);
    multiply({.m = outputs_,
              .n = inputs_,
              .k = samples,
              .a = pass.dy,
              .a_stride = outputs_,
              .transpose_a = 1,
              .b = pass.forward.x,
              .b_stride = inputs_,
              .transpose_b = 0,
              .c = pass.gradient + weight_,
              .c_stride = inputs_,
              .accumulate = 0});
    if (pass.dx == nullptr) return;
    multiply({.m = samples,
              .n = inputs_,
              .k = outputs_,
              .a = pass.dy,
              .a_stride = outputs_,
              .transpose_a = 0,
              .b = pass.forward.weights + weight_,
              .b_stride = inputs_,
              .transpose_b = 0,
              .c = pass.dx,
              .c_stride = inputs_,
              .accumulate = 0});
  }

 private:
  void multiply(const SumacGemm& gemm) const { kernels_->gemm(&gemm); }

  Kernels kernels_;
  std::size_t inputs_;
  std::size_t outputs_;
  std::int64_t weight_;
  std::int64_t bias_;
};

}  // namespace

std::unique_ptr<LayerEngine> makeDense(const LayerContext& context) {
  return std::make_unique<DenseEngine>(context);
}

}  // namespace sumac::worker
