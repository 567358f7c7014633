#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace sumac::worker {

/// The most words that a vocabulary has, both special ones included.
inline constexpr std::int64_t kMaxVocabulary = 10'000;
/// The largest text file, and the longest word in it.
inline constexpr std::uint64_t kMaxTextBytes = std::uint64_t{1} << 30U;
inline constexpr std::size_t kMaxWordBytes = 1024;

/// Stands for the end of a line, and for every word that is not in the vocabulary.
inline constexpr std::string_view kEndOfLine = "<eos>";
inline constexpr std::string_view kUnknown = "<unk>";

/// A text as word numbers, each below vocabulary.size(). `valid` and `test` are empty where there
/// is no such file: such a job reports no perplexity of that split.
struct Text {
  std::vector<std::int32_t> train;
  std::vector<std::int32_t> valid;
  std::vector<std::int32_t> test;
  std::vector<std::string> vocabulary;  // at the place of its number
};

/// Loads the text in `folder`: train.txt, valid.txt and test.txt, or one file each that ends so
/// (ptb.train.txt). Words stand between white space; each line's end is one more, `<eos>`, and so
/// is that of a last line without one.
///
/// The training file alone makes the vocabulary: `<eos>`, `<unk>` and the most frequent others (of
/// equals those first in the order of their bytes), at most kMaxVocabulary. Numbers go by frequency
/// in the training tokens, most frequent first, ties in the order of bytes. All other words become
/// `<unk>`. Fails with a message that names the file, what was found and what was expected.
Result<Text> loadText(const std::filesystem::path& folder);

}  // namespace sumac::worker
