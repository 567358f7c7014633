#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace sumac::worker {

/// The maximum number of words in a vocabulary, both special ones included.
inline constexpr std::int64_t kMaxVocabulary = 10'000;
/// The largest text file and the longest word, in bytes.
inline constexpr std::uint64_t kMaxTextBytes = std::uint64_t{1} << 30U;
inline constexpr std::size_t kMaxWordBytes = 1024;

/// The word for the end of a line, and for every word that is not in the vocabulary.
inline constexpr std::string_view kEndOfLine = "<eos>";
inline constexpr std::string_view kUnknown = "<unk>";

/// A text as word numbers, each below vocabulary.size(). Without a file for `valid` or `test` that
/// split is empty, and no perplexity is reported for it.
struct Text {
  std::vector<std::int32_t> train;
  std::vector<std::int32_t> valid;
  std::vector<std::int32_t> test;
  std::vector<std::string> vocabulary;  // word n at index n
};

/// Loads the text in `folder`: train.txt, valid.txt and test.txt, or one file each whose name ends
/// like that (ptb.train.txt). White space separates words; the end of each line is the word
/// `<eos>`, also after a last line without a line end.
///
/// The vocabulary comes from the training file alone: `<eos>`, `<unk>` and the most frequent other
/// words, at most kMaxVocabulary in all. Words are numbered by their frequency in the training
/// file, most frequent first; equally frequent ones in the order of their bytes. All other words
/// become
/// `<unk>`. Fails with a message that names the file, what was found and what was expected.
Result<Text> loadText(const std::filesystem::path& folder);

}  // namespace sumac::worker
