#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/core/result.h"
#include "base/core/step.h"
#include "engine/data/augmenter.h"
#include "engine/data/dataset.h"
#include "engine/sampler/sampler.h"

namespace sumac::worker {

/// What the trainer hands to the engine, whatever the data are. A sample is an image, or the next
/// `unroll` words of one stream of text; those are `count` x unroll tokens, stream after stream,
/// and as many labels, each the word that follows. Owns nothing.
struct BatchView {
  std::int64_t count = 0;
  std::span<const float> inputs;         // images
  std::span<const std::int32_t> tokens;  // text
  std::span<const std::int32_t> labels;
};

/// Memory for one batch; see makeBuffers().
struct BatchBuffers {
  std::vector<float> inputs;
  std::vector<std::int32_t> tokens;
  std::vector<std::int32_t> labels;
};

/// The samples of every part of every step: a pure function of the data, the seed and these
/// numbers.
///
/// Images: an epoch is a permutation (see Sampler), of changed images where the job says so (see
/// Augmenter). Text (Zaremba et al., "Recurrent neural network
/// regularization", 2014): n tokens are cut into batchSize streams of L = floor(n / batchSize), the
/// i-th is [iL, (i+1)L); step j of an epoch, from 0, reads `unroll` tokens of each from j unroll
/// on, which gives floor((L - 1) / unroll) steps. Recurrent state is zero where an epoch starts.
///
/// The queries are const and safe from any thread; fill() is for one thread. Nothing allocates
/// after construction.
class TrainingBatches {
 public:
  struct Options {
    std::int64_t batch_size = 0;
    int parts = 1;
    int unroll = 1;  // text only
    std::uint64_t seed = 1;
    job::AugmentSpec augment = {};  // images of pixels only

    /// Samples of the largest part.
    std::int64_t largestPart() const { return (batch_size + parts - 1) / parts; }
  };

  /// Fails with kInvalid, naming the job's fields, if there is not enough data for one step.
  /// Requires batch_size >= 1 and, of text, unroll >= 1.
  static Result<void> check(const Dataset& dataset, const Options& options);

  /// Requires what check() accepts, and 1 <= parts <= batch_size. `dataset` outlives us.
  TrainingBatches(const Dataset& dataset, const Options& options);

  std::int64_t stepsPerEpoch() const { return steps_per_epoch_; }

  int parts() const { return options_.parts; }
  /// Position of the part's first sample in the mini-batch: floor(pB/V); for parts() the batch
  /// size.
  std::int64_t firstSample(int part) const;
  std::int64_t samplesOf(int part) const { return firstSample(part + 1) - firstSample(part); }
  /// Samples of the largest part.
  std::int64_t largestPart() const { return options_.largestPart(); }
  /// Labels of one sample: 1 for an image, `unroll` for text.
  std::int64_t labelsPerSample() const { return labels_per_sample_; }

  /// Memory for a batch of `samples` samples.
  BatchBuffers makeBuffers(std::int64_t samples) const;
  /// Writes the samples of `part` of `step` to `buffers` and returns a view of them. Requires
  /// buffers for at least samplesOf(part) samples.
  BatchView fill(Step step, int part, BatchBuffers& buffers);

 private:
  BatchView fillImages(Step step, int part, BatchBuffers& buffers);
  void augment(Step step, std::span<const std::int64_t> indices, std::span<float> inputs,
               std::span<std::int32_t> labels);
  BatchView fillText(Step step, int part, BatchBuffers& buffers) const;

  const Dataset& dataset_;  // outlives us
  Options options_;
  std::optional<Sampler> sampler_;  // images
  std::optional<Augmenter> augmenter_;
  std::vector<std::uint8_t> image_;    // one, if they are augmented: as it is
  std::vector<std::uint8_t> changed_;  // and as it becomes
  std::int64_t stream_length_ = 0;     // text
  std::int64_t labels_per_sample_ = 1;
  std::int64_t steps_per_epoch_ = 0;
};

}  // namespace sumac::worker
