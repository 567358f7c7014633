#include "engine/nn/dropout.h"

#include <algorithm>

#include "engine/sequence/layer.h"
#include "engine/sequence/split.h"

namespace sumac::worker::sequence {
namespace {

// The values of a sample are counted time step after time step.
class Dropout final : public Layer {
 public:
  Dropout(const LayerContext& context, double rate)
      : kernels_(context.kernels),
        arena_(context.arena),
        pool_(context.pool),
        spec_{rate},
        seed_(context.seed),
        index_(static_cast<int>(context.index)),
        width_(context.outputs()),
        y_(context.arena.reserve(context.maxRows() * context.layer.output.back())) {}

  float* forward(const Pass& pass, const float* x) override {
    float* const y = arena_.at(y_);
    if (pass.is_training) {
      drop(pass, y, x);
    } else {
      std::copy_n(x, pass.rows * width_, y);
    }
    return y;
  }

  void backward(const Pass& pass, const float* /*x*/, const Gradients& gradients) override {
    if (gradients.dx != nullptr) drop(pass, gradients.dx, gradients.dy);
  }

 private:
  void drop(const Pass& pass, float* out, const float* x) {
    split(pool_, pass.rows, 1, [&](Range rows) {
      SumacDropout dropout = dropoutOf(spec_, seed_, static_cast<std::uint64_t>(pass.step), index_);
      for (std::size_t row = rows.begin; row < rows.end; ++row) {
        const auto sample = static_cast<std::int64_t>(row % pass.samples);
        dropout.sample = static_cast<std::uint64_t>(pass.first_sample + sample);
        dropout.first_value = row / pass.samples * width_;
        kernels_->dropout(&dropout, out + row * width_, x + row * width_, width_);
      }
    });
  }

  Kernels kernels_;
  Arena& arena_;       // outlives us
  ComputePool& pool_;  // outlives us
  model::Dropout spec_;
  std::uint64_t seed_;
  int index_;
  std::size_t width_;
  Arena::Piece y_;
};

}  // namespace

std::unique_ptr<Layer> makeDropout(const LayerContext& context, double rate) {
  return std::make_unique<Dropout>(context, rate);
}

}  // namespace sumac::worker::sequence
