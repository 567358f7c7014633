#include "engine/data/text_corpus.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "base/core/file.h"

namespace sumac::worker {
namespace {

namespace fs = std::filesystem;

// Counting this many different words takes about a gigabyte.
constexpr std::size_t kMaxDifferentWords = 10'000'000;

Error textCorpusInvalid(const fs::path& path, const std::string& what) {
  return Error{ErrorCode::kInvalid, "cannot use " + path.string() + ": " + what};
}

/// The file of a split: `<split>.txt`, or the one whose name ends in `.<split>.txt`; nothing if
/// there is none.
Result<std::optional<fs::path>> findSplit(const fs::path& folder, const std::string& split) {
  const std::string name = split + ".txt";
  std::vector<fs::path> found;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string candidate = entry->path().filename().string();
    if (candidate == name || candidate.ends_with("." + name)) found.push_back(entry->path());
  }
  if (failure) {
    return Error{errorCodeOf(failure), "cannot list " + folder.string() + ": " + failure.message()};
  }
  if (found.size() > 1) {
    std::sort(found.begin(), found.end());
    return textCorpusInvalid(folder, "found " + found[0].filename().string() + " and " +
                                         found[1].filename().string() + ", expected one file " +
                                         name);
  }
  if (found.empty()) return std::optional<fs::path>();
  return std::optional<fs::path>(found.front());
}

bool isSpace(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

Result<std::string> readText(const fs::path& path) {
  auto text = readTextFile(path, kMaxTextBytes);
  if (!text) return text.error();
  if (text->starts_with("\x1F\x8B")) {
    return textCorpusInvalid(path, "found gzip content, expected text: gunzip it first");
  }
  if (const auto nul = text->find('\0'); nul != std::string::npos) {
    return textCorpusInvalid(path,
                             "found a NUL byte at " + std::to_string(nul) + ", expected text");
  }
  if (std::all_of(text->begin(), text->end(), isSpace)) {
    return textCorpusInvalid(path, "found no words in " + std::to_string(text->size()) + " bytes");
  }
  return text;
}

/// Calls take(word) for every word and line end of the file, in order; kEndOfLine ends a line.
template <typename Take>
Result<void> forEachToken(const fs::path& path, std::string_view text, const Take& take) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] == '\n') {
      take(kEndOfLine);
    } else if (!isSpace(text[at])) {
      const std::size_t begin = at;
      while (at + 1 < text.size() && !isSpace(text[at + 1]))
        ++at;
      const std::size_t size = at + 1 - begin;
      if (size > kMaxWordBytes) {
        return textCorpusInvalid(path, "found a word of " + std::to_string(size) +
                                           " bytes at byte " + std::to_string(begin) +
                                           ", expected at most " + std::to_string(kMaxWordBytes));
      }
      take(text.substr(begin, size));
    }
    ++at;
  }
  if (!text.ends_with('\n')) take(kEndOfLine);
  return {};
}

/// The training file: each token as the number of its word by first occurrence, and how often each
/// word occurs. Both special words are always included.
struct Counted {
  std::vector<std::int32_t> tokens;
  std::vector<std::string_view> words;
  std::vector<std::int64_t> counts;
};
constexpr std::int32_t kEndOfLineFirst = 0;
constexpr std::int32_t kUnknownFirst = 1;

Result<Counted> count(const fs::path& path, std::string_view text) {
  Counted counted;
  counted.words = {kEndOfLine, kUnknown};
  counted.counts = {0, 0};
  std::unordered_map<std::string_view, std::int32_t> numbers{{kEndOfLine, kEndOfLineFirst},
                                                             {kUnknown, kUnknownFirst}};
  auto read = forEachToken(path, text, [&](std::string_view word) {
    // Beyond the limit nothing grows; the file is rejected below.
    if (numbers.size() > kMaxDifferentWords) return;
    const auto next = static_cast<std::int32_t>(counted.words.size());
    const auto [entry, is_new] = numbers.try_emplace(word, next);
    if (is_new) {
      counted.words.push_back(word);
      counted.counts.push_back(0);
    }
    ++counted.counts[static_cast<std::size_t>(entry->second)];
    counted.tokens.push_back(entry->second);
  });
  if (!read) return read.error();
  if (numbers.size() > kMaxDifferentWords) {
    return textCorpusInvalid(path, "found more than " + std::to_string(kMaxDifferentWords) +
                                       " different words, expected a text");
  }
  return counted;
}

/// The words of the vocabulary in its order, as numbers by first occurrence. All others have been
/// counted as unknown.
std::vector<std::int32_t> chooseWords(Counted& counted) {
  std::vector<std::int32_t> order(counted.words.size());
  std::iota(order.begin(), order.end(), 0);
  const auto before = [&counted](std::int32_t a, std::int32_t b) {
    const auto i = static_cast<std::size_t>(a);
    const auto j = static_cast<std::size_t>(b);
    if (counted.counts[i] != counted.counts[j]) return counted.counts[i] > counted.counts[j];
    return counted.words[i] < counted.words[j];
  };
  constexpr int kSpecial = 2;
  std::sort(order.begin() + kSpecial, order.end(), before);
  if (std::ssize(order) > kMaxVocabulary) {
    for (auto rare = order.begin() + kMaxVocabulary; rare != order.end(); ++rare) {
      counted.counts[kUnknownFirst] += counted.counts[static_cast<std::size_t>(*rare)];
    }
    order.resize(static_cast<std::size_t>(kMaxVocabulary));
  }
  std::sort(order.begin(), order.end(), before);
  return order;
}

/// Replaces numbers by first occurrence with those of the vocabulary.
void renumber(std::vector<std::int32_t>& tokens, const std::vector<std::int32_t>& order,
              std::size_t words) {
  const auto unknown = std::find(order.begin(), order.end(), kUnknownFirst) - order.begin();
  std::vector<std::int32_t> number_of(words, static_cast<std::int32_t>(unknown));
  for (std::size_t number = 0; number < order.size(); ++number) {
    number_of[static_cast<std::size_t>(order[number])] = static_cast<std::int32_t>(number);
  }
  for (std::int32_t& token : tokens)
    token = number_of[static_cast<std::size_t>(token)];
}

Result<void> loadTraining(const fs::path& path, Text& text) {
  const auto content = readText(path);
  if (!content) return content.error();
  auto counted = count(path, *content);
  if (!counted) return counted.error();
  const auto order = chooseWords(*counted);
  for (const std::int32_t first : order)
    text.vocabulary.emplace_back(counted->words[static_cast<std::size_t>(first)]);
  text.train = std::move(counted->tokens);
  renumber(text.train, order, counted->words.size());
  return {};
}

/// A split in the words of the training file; empty if there is no file.
Result<std::vector<std::int32_t>> loadOther(const fs::path& folder, const std::string& split,
                                            const std::vector<std::string>& vocabulary) {
  const auto path = findSplit(folder, split);
  if (!path) return path.error();
  std::vector<std::int32_t> tokens;
  if (!*path) return tokens;
  const auto content = readText(**path);
  if (!content) return content.error();
  std::unordered_map<std::string_view, std::int32_t> numbers;
  for (const std::string& word : vocabulary)
    numbers.emplace(word, static_cast<std::int32_t>(numbers.size()));
  const std::int32_t unknown = numbers.at(kUnknown);
  auto read = forEachToken(**path, *content, [&](std::string_view word) {
    const auto known = numbers.find(word);
    tokens.push_back(known == numbers.end() ? unknown : known->second);
  });
  if (!read) return read.error();
  return tokens;
}

}  // namespace

Result<Text> loadText(const fs::path& folder) {
  const auto training = findSplit(folder, "train");
  if (!training) return training.error();
  if (!*training) {
    return Error{ErrorCode::kNotFound,
                 "cannot find " + (folder / "train.txt").string() +
                     "; a text has train.txt and, if wanted, valid.txt and test.txt, or files "
                     "whose names end like these, such as ptb.train.txt"};
  }
  Text text;
  if (auto loaded = loadTraining(**training, text); !loaded) return loaded.error();
  for (auto [split, tokens] : {std::pair("valid", &text.valid), std::pair("test", &text.test)}) {
    auto loaded = loadOther(folder, split, text.vocabulary);
    if (!loaded) return loaded.error();
    *tokens = std::move(*loaded);
  }
  return text;
}

}  // namespace sumac::worker
