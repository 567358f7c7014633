#include "engine/sequence/weight_operand.h"

#include <algorithm>

namespace sumac::worker::sequence {

WeightOperand::WeightOperand(const LayerContext& context, const Shape& shape, bool is_kept)
    : kernels_(context.kernels), arena_(context.arena), pool_(context.pool), shape_(shape) {
  if (is_kept) {
    packed_ = arena_.reserve(
        static_cast<std::int64_t>(kernels_->gemmPackedSize(shape.depth, shape.columns)));
  }
}

SumacGemm WeightOperand::productOf(const Pass& pass, SumacGemm gemm, Range depth) const {
  gemm.n = shape_.columns;
  gemm.k = depth.size();
  gemm.b = pass.weights + shape_.offset;
  gemm.b_stride = shape_.is_transposed ? shape_.depth : shape_.columns;
  gemm.b += depth.begin * (shape_.is_transposed ? 1 : gemm.b_stride);
  gemm.transpose_b = shape_.is_transposed ? 1 : 0;
  return gemm;
}

// Every cut of the chains is packed for itself, by columns: as one call would pack them all.
void WeightOperand::prepare(const Pass& pass) {
  if (!packed_ || !version_.isNew(pass.weights_version)) return;
  for (std::size_t first = 0; first < shape_.depth; first += kChainDepth) {
    const Range depth{first, std::min(shape_.depth, first + kChainDepth)};
    const SumacGemm all = productOf(pass, {}, depth);
    float* const packed = arena_.at(*packed_) + kernels_->gemmPackedSize(first, shape_.columns);
    split(pool_, shape_.columns, kColumnUnit, [&](Range columns) {
      SumacGemm some = all;
      some.n = columns.size();
      some.b += columns.begin * (some.transpose_b != 0 ? some.b_stride : 1);
      kernels_->gemmPack(&some, packed + columns.begin * depth.size());
    });
  }
}

void WeightOperand::multiply(const Pass& pass, const SumacGemm& gemm) {
  const SumacGemm product = productOf(pass, gemm, wholeDepth());
  if (!packed_) {
    if (shape_.is_transposed) return multiplyByColumns(pool_, kernels_, product);
    return multiplyByRows(pool_, kernels_, product);
  }
  prepare(pass);
  split(pool_, product.m, kRowUnit, [&](Range rows) {
    SumacGemm some = product;
    some.m = rows.size();
    some.a += rows.begin * some.a_stride;
    some.c += rows.begin * some.c_stride;
    kernels_->gemmPacked(&some, arena_.at(*packed_));
  });
}

void WeightOperand::multiplyHere(const Pass& pass, const SumacGemm& gemm, Range depth) const {
  const SumacGemm product = productOf(pass, gemm, depth);
  if (!packed_) return kernels_->gemm(&product);
  kernels_->gemmPacked(&product,
                       arena_.at(*packed_) + kernels_->gemmPackedSize(depth.begin, shape_.columns));
}

}  // namespace sumac::worker::sequence
