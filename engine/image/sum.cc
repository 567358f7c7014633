#include "engine/image/image_rows.h"
#include "engine/image/operations.h"

namespace sumac::worker::image {
namespace {

/// y = x, or the sum of two values: a flatten that has a border to leave behind, the end of a
/// residual.
class SumOperation final : public Operation {
 public:
  SumOperation(const Context& context, std::span<const Value> x, const Value& y)
      : kernels_(context.kernels),
        pool_(context.pool),
        arena_(context.arena),
        x_(x.begin(), x.end()),
        y_(y) {
    shareShape({&y_, &x_.front(), &x_.back()});
  }

  void forward(const Run& run) override {
    const std::size_t lanes = kernels_->lanes;
    const std::size_t n = y_.image.columns * lanes;
    forEachRow(pool_, y_, run.blocks, kCost, [&](const Row& row) {
      float* const y = arena_.at(y_.data) + borderedAt(y_, row, lanes);
      const float* const first = arena_.at(x_[0].data) + borderedAt(x_[0], row, lanes);
      if (x_.size() == 1) {
        std::copy_n(first, n, y);
      } else {
        kernels_->add(y, first, arena_.at(x_[1].data) + borderedAt(x_[1], row, lanes), n);
      }
    });
  }

  void backward(const Run& run, float* dy, std::span<float* const> dx) override {
    forEachRow(pool_, y_, run.blocks, kCost, [&](const Row& row) {
      const std::size_t at = plainAt(y_, row, kernels_->lanes);
      for (float* const to : dx)
        if (to != nullptr) std::copy_n(dy + at, y_.image.columns * kernels_->lanes, to + at);
    });
  }

 private:
  static constexpr std::size_t kCost = 2;

  Kernels kernels_;
  ComputePool& pool_;  // outlives us
  Arena& arena_;       // outlives us
  std::vector<Value> x_;
  Value y_;
};

}  // namespace

std::unique_ptr<Operation> makeSum(const Context& context, std::span<const Value> x,
                                   const Value& y) {
  return std::make_unique<SumOperation>(context, x, y);
}

}  // namespace sumac::worker::image
