#pragma once

#include <cstdint>
#include <span>

#include "worker/data/batches.h"

namespace sumac::worker {

/// A split that is not trained on, cut into pieces for the engine, always in the same order.
///
/// Images: one after another. Text: cut into streams as for training, with `unroll` words of each
/// in a piece; of a split too short for batchSize streams fewer are made. At most max_samples
/// streams go together, from their first word to their last, then the next ones: the caller keeps
/// their recurrent state from piece to piece, and sets it to zero where startsAtZero() says so.
/// Owned by one thread; allocates nothing after construction.
class EvaluationBatches {
 public:
  struct Options {
    std::int64_t max_samples = 1;  // of one piece
    std::int64_t batch_size = 1;   // text only: streams
    int unroll = 1;                // text only
  };

  /// Requires samples. `samples` outlives us.
  EvaluationBatches(const Samples& samples, const Options& options);
  /// Of a split of a text. Requires unroll + 1 tokens at least: see isEnough(). The tokens outlive
  /// us.
  EvaluationBatches(std::span<const std::int32_t> tokens, const Options& options);

  /// Whether a text split can be evaluated; false for one that is not there.
  static bool isEnough(std::span<const std::int32_t> tokens, const Options& options);

  /// The number of pieces.
  std::int64_t count() const { return count_; }
  /// The number of labels in all pieces: what a mean is over. Text: what does not fill a stream or
  /// a last step is left out.
  std::int64_t labels() const { return labels_; }
  /// Whether recurrent state before this piece is zero.
  bool startsAtZero(std::int64_t piece) const { return piece % pieces_per_group_ == 0; }
  /// The most samples that a piece has.
  std::int64_t largest() const { return largest_; }

  /// The piece at `piece`; it lives until the next call.
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
  std::int64_t count_ = 0;
  std::int64_t labels_ = 0;
  BatchBuffers buffers_;
};

}  // namespace sumac::worker
