#include "worker/nn/rows/weight_gradient.h"

namespace sumac::worker::rows {

WeightGradient::WeightGradient(const Kernels& kernels, Arena& arena, ComputePool& pool,
                               const Extents& extents)
    : kernels_(kernels),
      arena_(arena),
      pool_(pool),
      extents_(extents),
      packed_inputs_(arena.reserve(
          static_cast<std::int64_t>(kernels->gemmPackedSize(extents.max_rows, extents.inputs)))) {}

void WeightGradient::weights(float* dw, const float* x, const float* dy, std::size_t rows,
                             Write write) {
  constexpr std::size_t kUnit = 12;  // of a product's rows: whole tiles
  prepare(x, rows);
  split(pool_, extents_.outputs, kUnit,
        [&](Range outputs) { weightsOf(outputs, dw, dy, rows, write); });
}

void WeightGradient::bias(float* dbias, const float* dy, std::size_t rows, Write write) {
  constexpr std::size_t kUnit = 128;  // values: whole cache lines of every row
  split(pool_, extents_.outputs, kUnit,
        [&](Range outputs) { biasOf(outputs, dbias, dy, rows, write); });
}

void WeightGradient::prepare(const float* x, std::size_t rows) {
  SumacGemm gemm = product(rows);
  gemm.b = x;
  kernels_->gemmPack(&gemm, arena_.at(packed_inputs_));
}

void WeightGradient::weightsOf(Range outputs, float* dw, const float* dy, std::size_t rows,
                               Write write) {
  SumacGemm gemm = product(rows);
  gemm.m = outputs.size();
  gemm.a = dy + outputs.begin;
  gemm.c = dw + outputs.begin * extents_.inputs;
  gemm.accumulate = write == Write::kAdd ? 1 : 0;
  kernels_->gemmPacked(&gemm, arena_.at(packed_inputs_));
}

void WeightGradient::biasOf(Range outputs, float* dbias, const float* dy, std::size_t rows,
                            Write write) {
  kernels_->sumRows(dbias + outputs.begin, dy + outputs.begin, extents_.outputs, rows,
                    outputs.size(), write == Write::kAdd ? 1 : 0);
}

SumacGemm WeightGradient::product(std::size_t rows) const {
  return {.m = extents_.outputs,
          .n = extents_.inputs,
          .k = rows,
          .a = nullptr,
          .a_stride = extents_.outputs,
          .transpose_a = 1,
          .b = nullptr,
          .b_stride = extents_.inputs,
          .transpose_b = 0,
          .c = nullptr,
          .c_stride = extents_.inputs,
          .accumulate = 0};
}

}  // namespace sumac::worker::rows
