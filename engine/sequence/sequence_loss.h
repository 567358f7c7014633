#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/nn/arena.h"
#include "engine/nn/compute_pool.h"
#include "engine/nn/engine.h"
#include "engine/sequence/part_rows.h"
#include "kernels/kernels.h"

namespace sumac::worker::sequence {

/// Softmax and cross-entropy of every row. Owned by an engine; used by its thread, works with the
/// pool's.
class SequenceLoss {
 public:
  /// `arena` and `pool` outlive us.
  SequenceLoss(const Kernels& kernels, Arena& arena, ComputePool& pool, std::size_t classes,
               std::int64_t max_rows);

  /// In the place of the logits come their gradients times `scale`. Requires labels below the
  /// number of classes.
  void gradient(float* logits, const std::int32_t* labels, std::size_t rows, float scale);
  /// Sum of a part's losses, after gradient().
  double sumOf(const PartRows& rows) { return addTo(0, rows); }
  Evaluation evaluate(const float* logits, const std::int32_t* labels, std::size_t rows,
                      const Evaluation& before);

 private:
  double addTo(double total, const PartRows& rows);

  Kernels kernels_;
  Arena& arena_;
  ComputePool& pool_;
  std::size_t classes_;
  Arena::Piece losses_;
  Arena::Piece correct_;  // 1 or 0, as integers
};

}  // namespace sumac::worker::sequence
