#pragma once

#include <cstdint>

#include "common/base/result.h"
#include "common/model/network.h"
#include "worker/data/samples.h"
#include "worker/data/text_corpus.h"

namespace sumac::worker {

/// Data made from a counter-based random generator with integer arithmetic alone: the same bits on
/// every machine for the same recipe. Those of a job have this seed, whatever training.seed is, so
/// that runs with several seeds train on the same data.
inline constexpr std::uint64_t kGeneratedSeed = 1;

/// The most pixels or tokens of a split, and the most words of a generated vocabulary.
inline constexpr std::int64_t kMaxGenerated = std::int64_t{1} << 31U;
inline constexpr int kMaxGeneratedVocabulary = 10'000'000;

struct ImageRecipe {
  std::int64_t train_samples = 0;
  std::int64_t test_samples = 0;
  model::Shape shape;  // {channels, rows, columns} or fewer, from the back
  int classes = 10;
  std::uint64_t seed = kGeneratedSeed;
};

/// Each class has a smooth random prototype; a sample is its class's, moved by a few pixels, with
/// contrast of its own and noise. Samples go through the classes in turn. Fails with kInvalid when
/// the recipe asks for nothing, or for too much.
Result<Images> generateImages(const ImageRecipe& recipe);

struct TextRecipe {
  std::int64_t train_tokens = 0;
  std::int64_t test_tokens = 0;  // and as many to validate; 0: neither
  int vocabulary = 0;            // exactly, `<eos>` and `<unk>` included
  std::uint64_t seed = kGeneratedSeed;
};

/// A random Markov chain over words whose frequencies fall about as Zipf's law says. Three words in
/// four are one of four successors of the word before, so there is something to learn: a network's
/// perplexity falls far below that of the frequencies alone. Numbers: `<eos>` is 0, then the words,
/// `<unk>` is last and never stands in the text; every split ends a line. Fails as above.
Result<Text> generateText(const TextRecipe& recipe);

}  // namespace sumac::worker
