#pragma once

#include <cstdint>
#include <span>

#include "engine/data/batches.h"

namespace sumac::worker {

/// A validation or test split in pieces that the engine can take, always in the same order.
///
/// Images: one after another. Text: cut into batch_size streams as for training, or into fewer if
/// the split is too short; a piece has `unroll` words of each stream. At most max_samples streams
/// are read at a time, from their first word to their last, then the next ones. The caller keeps
/// their recurrent state from piece to piece and sets it to zero where startsAtZero() says so.
/// Owned by one thread; allocates nothing after construction.
class EvaluationBatches {
 public:
  struct Options {
    std::int64_t max_samples = 1;     // of one piece
    std::int64_t summed_samples = 1;  // images only: see beginsSum()
    std::int64_t batch_size = 1;      // text only: streams
    int unroll = 1;                   // text only
  };

  /// Images. Requires at least one sample. `samples` outlives us.
  EvaluationBatches(const Samples& samples, const Options& options);
  /// Text. Requires at least unroll + 1 tokens: see isEnough(). The tokens outlive us.
  EvaluationBatches(std::span<const std::int32_t> tokens, const Options& options);

  /// Whether a text split is long enough to be evaluated.
  static bool isEnough(std::span<const std::int32_t> tokens, const Options& options);

  /// The number of pieces.
  std::int64_t count() const { return count_; }
  /// The number of labels in all pieces, the divisor of a mean. Text that does not fill a stream or
  /// a last step is left out.
  std::int64_t labels() const { return labels_; }
  /// Whether recurrent state before this piece is zero.
  bool startsAtZero(std::int64_t piece) const { return piece % pieces_per_group_ == 0; }
  /// Whether the losses of this piece are not added to the sum of the piece before, but begin
  /// another: with every piece of text, and with every `summed_samples` images, at least a piece.
  bool beginsSum(std::int64_t piece) const { return piece % pieces_per_sum_ == 0; }
  /// Samples of the largest piece.
  std::int64_t largest() const { return largest_; }

  /// The piece number `piece`, from 0; valid until the next call.
  BatchView batch(std::int64_t piece);

 private:
  BatchView imagesOf(std::int64_t piece);
  BatchView textOf(std::int64_t piece);

  const Samples* samples_ = nullptr;      // images; outlives us
  std::span<const std::int32_t> tokens_;  // text
  std::int64_t samples_count_ = 0;        // images, or streams
  std::int64_t largest_ = 0;
  std::int64_t unroll_ = 1;
  std::int64_t stream_length_ = 0;
  std::int64_t pieces_per_group_ = 1;
  std::int64_t pieces_per_sum_ = 1;
  std::int64_t count_ = 0;
  std::int64_t labels_ = 0;
  BatchBuffers buffers_;
};

}  // namespace sumac::worker
