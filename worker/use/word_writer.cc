#include "worker/use/word_writer.h"

#include <algorithm>
#include <numeric>
#include <sstream>
#include <utility>

#include "base/core/rng.h"
#include "engine/data/text_corpus.h"
#include "worker/use/trained_model.h"

namespace sumac::worker {
namespace {

std::int32_t numberOfWord(const ModelFile& model, std::string_view word) {
  const auto found = std::ranges::find(model.vocabulary, word);
  if (found == model.vocabulary.end()) return -1;
  return static_cast<std::int32_t>(found - model.vocabulary.begin());
}

/// A word with the probability that its logit stands for, among those that have a name.
std::int32_t draw(std::span<const float> logits, std::int32_t unknown, double number) {
  std::vector<double> chances = softmax(logits);
  if (unknown >= 0) chances[static_cast<std::size_t>(unknown)] = 0;
  double rest = number * std::accumulate(chances.begin(), chances.end(), 0.0);
  std::int32_t last = 0;
  for (std::size_t word = 0; word < chances.size(); ++word) {
    if (chances[word] == 0) continue;
    last = static_cast<std::int32_t>(word);
    rest -= chances[word];
    if (rest < 0) break;
  }
  return last;
}

}  // namespace

Result<Prompt> readPrompt(const ModelFile& model, std::string_view text) {
  if (model.task != ModelTask::kText) {
    return Error{ErrorCode::kInvalid, "--prompt is for a model of text; this one is for " +
                                          std::string(toString(model.task)) + ": name files"};
  }
  if (model.vocabulary.empty()) {
    return Error{ErrorCode::kInvalid,
                 "the model's file has no vocabulary, so it cannot write words (one of more than " +
                     std::to_string(kMostWordsKept) + " words is not kept)"};
  }
  Prompt prompt;
  const std::int32_t unknown = numberOfWord(model, kUnknown);
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    std::int32_t number = numberOfWord(model, word);
    if (number < 0) prompt.unknown.push_back(word);
    if (number < 0) number = unknown;
    if (number < 0)
      return Error{ErrorCode::kInvalid, "the model does not know the word '" + word + "'"};
    prompt.words.push_back(number);
  }
  if (prompt.words.empty()) prompt.words = {std::max(numberOfWord(model, kEndOfLine), 0)};
  return prompt;
}

Result<std::vector<std::int32_t>> writeWords(ModelFile model, std::span<const std::int32_t> prompt,
                                             int count, std::uint64_t seed,
                                             const std::string& cpu_limit) {
  const std::int32_t unknown = numberOfWord(model, kUnknown);
  const std::size_t named = model.vocabulary.size();
  auto network = model::resolve(
      model.spec, {.vocabulary = static_cast<int>(model.network.vocabulary()), .unroll = 1});
  if (!network) return network.error();
  model.network = *std::move(network);
  auto writer = TrainedModel::make(std::move(model), /*max_samples=*/1, cpu_limit);
  if (!writer) return writer.error();
  const Rng rng(seed, kWrittenWordsStream);
  std::vector<float> state;
  std::vector<float> logits;
  for (const std::int32_t word : prompt)
    (*writer)->predictNext(word, state, logits);
  std::vector<std::int32_t> words;
  for (int i = 0; i < count; ++i) {
    const auto number = static_cast<double>(rng.uniform(static_cast<std::uint64_t>(i)));
    words.push_back(draw(std::span<const float>(logits).first(named), unknown, number));
    (*writer)->predictNext(words.back(), state, logits);
  }
  return words;
}

std::string asText(const ModelFile& model, std::span<const std::int32_t> words) {
  std::string text;
  for (const std::int32_t word : words) {
    const std::string& name = model.vocabulary.at(static_cast<std::size_t>(word));
    const bool is_end = name == kEndOfLine;
    if (!is_end && !text.empty() && !text.ends_with('\n')) text += ' ';
    text += is_end ? "\n" : name;
  }
  return text;
}

}  // namespace sumac::worker
