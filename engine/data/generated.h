#pragma once

#include <cstdint>

#include "base/core/result.h"
#include "engine/data/samples.h"
#include "engine/data/text_corpus.h"
#include "job/model/network.h"

namespace sumac::worker {

// Data from a counter-based random generator with integer arithmetic alone: the same recipe gives
// the same bits on every machine.

/// The seed of a job's generated data. It does not depend on training.seed, so that runs with
/// several seeds train on the same data.
inline constexpr std::uint64_t kGeneratedSeed = 1;

/// The maximum number of words in a generated vocabulary. See job/document/data_limits.h for other
/// limits.
inline constexpr int kMaxGeneratedVocabulary = 10'000'000;

struct ImageRecipe {
  std::int64_t train_samples = 0;
  std::int64_t test_samples = 0;
  model::Shape shape;  // {channels, rows, columns}, {rows, columns} or {features}
  int classes = 10;
  std::uint64_t seed = kGeneratedSeed;
};

/// Each class has a smooth random prototype; a sample is its class's prototype, shifted by a few
/// pixels, with random contrast and noise. The classes take turns. Fails with kInvalid if the
/// recipe asks for no samples or for too many.
Result<Images> generateImages(const ImageRecipe& recipe);

struct TextRecipe {
  std::int64_t train_tokens = 0;
  std::int64_t test_tokens = 0;  // of each, test and validation split; 0: neither
  int vocabulary = 0;            // exactly, `<eos>` and `<unk>` included
  std::uint64_t seed = kGeneratedSeed;
};

/// A random Markov chain over words whose frequencies roughly follow Zipf's law. Three words in
/// four are one of four successors of the word before, so there is something to learn: a network
/// reaches a perplexity far below that of the frequencies alone. Word numbers: `<eos>` is 0, then
/// the words;
/// `<unk>` is last and does not occur in the text. Every split ends with the end of a line. Fails
/// as generateImages() does.
Result<Text> generateText(const TextRecipe& recipe);

}  // namespace sumac::worker
