#pragma once

#include <cstddef>

#include "engine/nn/arena.h"
#include "engine/nn/compute_pool.h"
#include "engine/nn/engine.h"
#include "engine/sequence/layer.h"
#include "engine/sequence/part_rows.h"
#include "engine/sequence/split.h"
#include "kernels/kernels.h"

namespace sumac::worker::sequence {

/// The gradients of a matrix of weights [outputs][inputs] and of a bias, from the rows' inputs and
/// the gradients of their outputs: x and dy are those of all parts. Owned by a layer; used by its
/// thread, works with the pool's.
class WeightGradient {
 public:
  struct Extents {
    std::size_t inputs;
    std::size_t outputs;
    std::size_t max_rows;
  };

  /// `arena` and `pool` outlive us.
  WeightGradient(const Kernels& kernels, Arena& arena, ComputePool& pool, const Extents& extents);

  /// dw = dy^T x of every part, which begins at `weight` of its gradient; announces it.
  void weights(const Pass& pass, std::size_t weight, const float* x, const float* dy);
  /// dbias = the sum of dy's rows, likewise.
  void bias(const Pass& pass, std::size_t bias, const float* dy);

  /// The same piece by piece, without announcing: prepare(), then any outputs of a part, in any
  /// order and by any thread.
  void prepare(const Pass& pass, const float* x);
  void weightsOf(Range outputs, const PassPart& part, std::size_t weight, const float* dy);
  void biasOf(Range outputs, const PassPart& part, std::size_t bias, const float* dy);

 private:
  SumacGemm product(const PartRows& rows) const;
  float* packedInputs(const PartRows& rows) {
    return arena_.at(packed_inputs_) + kernels_->gemmPackedSize(rows.before(), extents_.inputs);
  }

  Kernels kernels_;
  Arena& arena_;
  ComputePool& pool_;
  Extents extents_;
  Arena::Piece packed_inputs_;
};

}  // namespace sumac::worker::sequence
