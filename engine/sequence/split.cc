#include "engine/sequence/split.h"

namespace sumac::worker::sequence {

void multiplyByColumns(ComputePool& pool, const Kernels& kernels, const SumacGemm& gemm) {
  split(pool, gemm.n, kColumnUnit, [&](Range columns) {
    SumacGemm piece = gemm;
    piece.n = columns.size();
    piece.b += columns.begin * (gemm.transpose_b != 0 ? gemm.b_stride : 1);
    piece.c += columns.begin;
    if (piece.bias != nullptr) piece.bias += columns.begin;
    kernels->gemm(&piece);
  });
}

void multiplyByRows(ComputePool& pool, const Kernels& kernels, const SumacGemm& gemm) {
  split(pool, gemm.m, kRowUnit, [&](Range rows) {
    SumacGemm piece = gemm;
    piece.m = rows.size();
    piece.a += rows.begin * (gemm.transpose_a != 0 ? 1 : gemm.a_stride);
    piece.c += rows.begin * gemm.c_stride;
    kernels->gemm(&piece);
  });
}

}  // namespace sumac::worker::sequence
