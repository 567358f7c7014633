#include "engine/nn/dropout.h"

#include "engine/image/image_rows.h"
#include "engine/image/operations.h"

namespace sumac::worker::image {
namespace {

class DropoutOperation final : public Operation {
 public:
  DropoutOperation(const Context& context, const Fused& fused, const model::Dropout& spec,
                   const Value& x, const Value& y)
      : kernels_(context.kernels),
        pool_(context.pool),
        arena_(context.arena),
        layer_(fused.layer),
        spec_(spec),
        seed_(context.seed),
        x_(x),
        y_(y) {
    shareShape({&x_, &y_});
  }

  void forward(const Run& run) override {
    const std::size_t lanes = kernels_->lanes;
    const SumacDropout dropout = dropoutOf(spec_, seed_, run.step, layer_);
    forEachRow(pool_, y_, run.blocks, kCost, [&](const Row& row) {
      const float* const x = arena_.at(x_.data) + borderedAt(x_, row, lanes);
      float* const y = arena_.at(y_.data) + borderedAt(y_, row, lanes);
      if (run.training) {
        drop(dropout, run, row, y, x);
      } else {
        std::copy_n(x, y_.image.columns * lanes, y);
      }
    });
  }

  // Gradients are dropped where values were: the same random numbers are drawn again.
  void backward(const Run& run, float* dy, std::span<float* const> dx) override {
    if (dx[0] == nullptr) return;
    const SumacDropout dropout = dropoutOf(spec_, seed_, run.step, layer_);
    forEachRow(pool_, y_, run.blocks, kCost, [&](const Row& row) {
      const std::size_t at = plainAt(y_, row, kernels_->lanes);
      drop(dropout, run, row, dx[0] + at, dy + at);
    });
  }

 private:
  static constexpr std::size_t kCost = 16;

  void drop(SumacDropout dropout, const Run& run, const Row& row, float* out,
            const float* x) const {
    dropout.sample = run.first_sample + row.block * kernels_->lanes;
    dropout.first_value = row.index * y_.image.columns;
    kernels_->lanesDropout(&dropout, out, x, y_.image.columns);
  }

  Kernels kernels_;
  ComputePool& pool_;  // outlives us
  Arena& arena_;       // outlives us
  int layer_;
  model::Dropout spec_;
  std::uint64_t seed_;
  Value x_;
  Value y_;
};

}  // namespace

std::unique_ptr<Operation> makeDropout(const Context& context, const Fused& fused,
                                       const model::Dropout& spec, const Value& x, const Value& y) {
  return std::make_unique<DropoutOperation>(context, fused, spec, x, y);
}

}  // namespace sumac::worker::image
