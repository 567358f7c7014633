#pragma once

#include <cstddef>
#include <optional>

#include "engine/nn/arena.h"
#include "engine/nn/compute_pool.h"
#include "engine/nn/weights_in_use.h"
#include "engine/sequence/layer.h"
#include "engine/sequence/split.h"
#include "kernels/kernels.h"

namespace sumac::worker::sequence {

/// A matrix of weights as the right operand of products. Where it is used more than once it is kept
/// packed: once for each version of the weights. The bits of a product do not depend on that.
///
/// Owned by a layer; used by its thread, works with the pool's.
class WeightOperand {
 public:
  struct Shape {
    std::size_t offset;   // of the matrix among the network's weights
    std::size_t depth;    // values that a product sums
    std::size_t columns;  // of the product
    bool is_transposed;   // the matrix is [columns][depth]
  };

  WeightOperand(const LayerContext& context, const Shape& shape, bool is_kept);

  /// c = a times the matrix, all rows. Of `gemm` count a, c, m, bias, accumulate.
  void multiply(const Pass& pass, const SumacGemm& gemm);

  /// Packs the matrix unless that was done. Comes before multiplyHere().
  void prepare(const Pass& pass);
  /// The same product by the calling thread, whichever it is; with the matrix' rows of `depth`
  /// alone, where the rest was or will be added by others. Requires that `depth` begins at a
  /// multiple of kChainDepth, and at 0 unless the matrix is not transposed.
  void multiplyHere(const Pass& pass, const SumacGemm& gemm, Range depth) const;
  Range wholeDepth() const { return {0, shape_.depth}; }

 private:
  SumacGemm productOf(const Pass& pass, SumacGemm gemm, Range depth) const;

  Kernels kernels_;
  Arena& arena_;       // outlives us
  ComputePool& pool_;  // outlives us
  Shape shape_;
  std::optional<Arena::Piece> packed_;
  PackedVersion version_;
};

}  // namespace sumac::worker::sequence
