#include "engine/sequence/weight_gradient.h"

#include <algorithm>

namespace sumac::worker::sequence {

WeightGradient::WeightGradient(const Kernels& kernels, Arena& arena, ComputePool& pool,
                               const Extents& extents)
    : kernels_(kernels),
      arena_(arena),
      pool_(pool),
      extents_(extents),
      packed_inputs_(arena.reserve(
          static_cast<std::int64_t>(kernels->gemmPackedSize(extents.max_rows, extents.inputs)))) {}

void WeightGradient::weights(const Pass& pass, std::size_t weight, const float* x,
                             const float* dy) {
  prepare(pass, x);
  const std::size_t tile = kRowUnit * extents_.inputs;
  const std::size_t most = std::max<std::size_t>(kSharedPiece / tile, 1) * kRowUnit;
  const std::size_t step = pass.parts.size() == 1 ? extents_.outputs : most;
  for (std::size_t first = 0; first < extents_.outputs; first += step) {
    const Range piece{first, std::min(extents_.outputs, first + step)};
    for (const PassPart& part : pass.parts) {
      split(pool_, piece.size(), kRowUnit, [&](Range own) {
        weightsOf({first + own.begin, first + own.end}, part, weight, dy);
      });
      part.announce(weight + first * extents_.inputs, piece.size() * extents_.inputs);
    }
  }
}

void WeightGradient::bias(const Pass& pass, std::size_t bias, const float* dy) {
  constexpr std::size_t kUnit = 128;  // values: whole cache lines of every row
  for (const PassPart& part : pass.parts) {
    split(pool_, extents_.outputs, kUnit, [&](Range outputs) { biasOf(outputs, part, bias, dy); });
    part.announce(bias, extents_.outputs);
  }
}

void WeightGradient::prepare(const Pass& pass, const float* x) {
  for (const PassPart& part : pass.parts) {
    SumacGemm gemm = product(part.rows);
    gemm.b = x + part.rows.first_sample * extents_.inputs;
    kernels_->gemmPack(&gemm, packedInputs(part.rows));
  }
}

void WeightGradient::weightsOf(Range outputs, const PassPart& part, std::size_t weight,
                               const float* dy) {
  SumacGemm gemm = product(part.rows);
  gemm.m = outputs.size();
  gemm.a = dy + part.rows.first_sample * extents_.outputs + outputs.begin;
  gemm.c = part.gradient + weight + outputs.begin * extents_.inputs;
  gemm.accumulate = part.write == Write::kAdd ? 1 : 0;
  kernels_->gemmPacked(&gemm, packedInputs(part.rows));
}

void WeightGradient::biasOf(Range outputs, const PassPart& part, std::size_t bias,
                            const float* dy) {
  const SumacRows rows{.x = dy + part.rows.first_sample * extents_.outputs + outputs.begin,
                       .stride = extents_.outputs,
                       .count = part.rows.count(),
                       .run = part.rows.run(),
                       .skip = part.rows.skip()};
  kernels_->sumRows(part.gradient + bias + outputs.begin, &rows, outputs.size(),
                    part.write == Write::kAdd ? 1 : 0);
}

SumacGemm WeightGradient::product(const PartRows& rows) const {
  return {.m = extents_.outputs,
          .n = extents_.inputs,
          .k = rows.count(),
          .a_stride = extents_.outputs,
          .transpose_a = 1,
          .b_stride = extents_.inputs,
          .c_stride = extents_.inputs,
          .run = rows.run(),
          .skip = rows.skip()};
}

}  // namespace sumac::worker::sequence
