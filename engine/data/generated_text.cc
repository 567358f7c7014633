#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/rng.h"
#include "engine/data/generated.h"
#include "job/document/data_limits.h"

namespace sumac::worker {
namespace {

constexpr std::uint64_t kSuccessorStream = kGeneratedDataStream + 3;
// Two random streams per split: one for what happens at each word, one for new words.
constexpr std::uint64_t kTrainText = kGeneratedDataStream + 4;
constexpr std::uint64_t kValid = kGeneratedDataStream + 6;
constexpr std::uint64_t kTestText = kGeneratedDataStream + 8;

constexpr std::int32_t kEndOfLineNumber = 0;
constexpr std::int32_t kFirstWord = 1;
constexpr int kReserved = 2;

// Chances in 16: a line ends after a word; else a new word is drawn; else it is one of four
// successors, of which the first follows in half of the cases, then a quarter, then an eighth each.
constexpr std::uint32_t kLineEnds = 1;
constexpr std::uint32_t kAfresh = 4;
constexpr std::size_t kSuccessors = 4;
constexpr std::array<std::size_t, 8> kSuccessorOf{0, 0, 0, 0, 1, 1, 2, 3};

/// "ba", "be", ... "zuzu": the number in base 100 without a digit zero, each digit a syllable.
std::string spell(std::int64_t number) {
  constexpr std::string_view kConsonants = "bcdfghjklmnpqrstvwxz";
  constexpr std::string_view kVowels = "aeiou";
  std::string word;
  for (std::int64_t left = number + 1; left > 0; left = (left - 1) / 100) {
    const auto digit = static_cast<std::size_t>((left - 1) % 100);
    word.insert(0, {kConsonants[digit / 5], kVowels[digit % 5]});
  }
  return word;
}

/// The chain of words.
class Chain {
 public:
  Chain(std::uint64_t seed, int vocabulary) : seed_(seed) {
    const auto words = static_cast<std::size_t>(vocabulary - kReserved);
    std::uint64_t total = 0;
    for (std::size_t rank = 1; rank <= words; ++rank) {
      total += (std::uint64_t{1} << 32U) / rank;
      cumulative_.push_back(total);
    }
    const Rng rng(seed, kSuccessorStream);
    for (std::uint64_t n = 0; n < (words + 1) * kSuccessors; ++n)
      successors_.push_back(drawn(rng, n));
  }

  std::vector<std::int32_t> text(std::int64_t tokens, std::uint64_t stream) const {
    const Rng rng(seed_, stream);
    const Rng fresh(seed_, stream + 1);
    std::vector<std::int32_t> text(static_cast<std::size_t>(tokens));
    std::int32_t last = kEndOfLineNumber;
    for (std::size_t n = 0; n < text.size(); ++n)
      last = text[n] = next(last, rng.block(n), fresh, n);
    if (!text.empty()) text.back() = kEndOfLineNumber;
    return text;
  }

 private:
  /// A word drawn by its frequency alone.
  std::int32_t drawn(const Rng& rng, std::uint64_t n) const {
    const std::uint64_t at = rng.below(n, cumulative_.back());
    const auto word = std::upper_bound(cumulative_.begin(), cumulative_.end(), at);
    return kFirstWord + static_cast<std::int32_t>(word - cumulative_.begin());
  }

  std::int32_t next(std::int32_t last, const std::array<std::uint32_t, 4>& random, const Rng& fresh,
                    std::uint64_t n) const {
    if (last != kEndOfLineNumber && random[0] % 16 < kLineEnds) return kEndOfLineNumber;
    if (random[1] % 16 < kAfresh) return drawn(fresh, n);
    const std::size_t which = kSuccessorOf[random[2] % kSuccessorOf.size()];
    return successors_[static_cast<std::size_t>(last) * kSuccessors + which];
  }

  std::uint64_t seed_;
  std::vector<std::uint64_t> cumulative_;  // of words' weights, which are 2^32 / rank
  std::vector<std::int32_t> successors_;   // kSuccessors of each number but `<unk>`'s
};

Result<void> check(const TextRecipe& recipe) {
  const auto refuse = [](const std::string& what) {
    return Error{ErrorCode::kInvalid, "cannot generate text: " + what};
  };
  if (recipe.vocabulary <= kReserved || recipe.vocabulary > kMaxGeneratedVocabulary) {
    return refuse("found a vocabulary of " + std::to_string(recipe.vocabulary) +
                  ", expected 3 to " + std::to_string(kMaxGeneratedVocabulary) +
                  ", <eos> and <unk> included");
  }
  constexpr std::int64_t kMost = job::kMaxGenerated / 4;
  if (recipe.train_tokens < 2 || recipe.test_tokens < 0 ||
      std::max(recipe.train_tokens, recipe.test_tokens) > kMost) {
    return refuse("found " + std::to_string(recipe.train_tokens) + " training and " +
                  std::to_string(recipe.test_tokens) +
                  " test tokens, must be at least 2 and 0, and at most " + std::to_string(kMost));
  }
  return {};
}

}  // namespace

Result<Text> generateText(const TextRecipe& recipe) {
  if (auto checked = check(recipe); !checked) return checked.error();
  Text text;
  text.vocabulary.emplace_back(kEndOfLine);
  for (int word = 0; word < recipe.vocabulary - kReserved; ++word)
    text.vocabulary.push_back(spell(word));
  text.vocabulary.emplace_back(kUnknown);
  const Chain chain(recipe.seed, recipe.vocabulary);
  text.train = chain.text(recipe.train_tokens, kTrainText);
  text.valid = chain.text(recipe.test_tokens, kValid);
  text.test = chain.text(recipe.test_tokens, kTestText);
  return text;
}

}  // namespace sumac::worker
