#pragma once

#include <cstddef>

#include "common/kernels/kernels.h"
#include "worker/nn/arena.h"
#include "worker/nn/compute_pool.h"
#include "worker/nn/engine.h"
#include "worker/nn/rows/split.h"

namespace sumac::worker::rows {

/// The gradients of a matrix of weights [outputs][inputs] and of a bias, from the rows' inputs and
/// the gradients of their outputs. Owned by a layer; used by its thread, works with the pool's.
class WeightGradient {
 public:
  struct Extents {
    std::size_t inputs;
    std::size_t outputs;
    std::size_t max_rows;
  };

  /// `arena` and `pool` outlive us.
  WeightGradient(const Kernels& kernels, Arena& arena, ComputePool& pool, const Extents& extents);

  /// dw = dy^T x.
  void weights(float* dw, const float* x, const float* dy, std::size_t rows, Write write);
  /// dbias = the sum of dy's rows.
  void bias(float* dbias, const float* dy, std::size_t rows, Write write);

  /// The same piece by piece: prepare(), then any outputs, in any order and by any thread.
  void prepare(const float* x, std::size_t rows);
  void weightsOf(Range outputs, float* dw, const float* dy, std::size_t rows, Write write);
  void biasOf(Range outputs, float* dbias, const float* dy, std::size_t rows, Write write);

 private:
  SumacGemm product(std::size_t rows) const;

  Kernels kernels_;
  Arena& arena_;
  ComputePool& pool_;
  Extents extents_;
  Arena::Piece packed_inputs_;
};

}  // namespace sumac::worker::rows
