#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "engine/model_file/model_file.h"

namespace sumac::worker {

/// The words of a prompt, split at white space, as numbers of the model's vocabulary; without any
/// it is the end of a line, after which a text begins.
struct Prompt {
  std::vector<std::int32_t> words;
  std::vector<std::string> unknown;  // taken for `<unk>`
};

/// Fails with kInvalid for a model that is not of text, or whose file has no vocabulary, and for a
/// word that it does not know where it has no `<unk>` either.
Result<Prompt> readPrompt(const ModelFile& model, std::string_view text);

/// The words that follow `prompt`, each drawn with its probability, but never `<unk>`. The same
/// seed draws the same words on a machine. Requires words of readPrompt(). Fails as
/// TrainedModel::make() does.
Result<std::vector<std::int32_t>> writeWords(ModelFile model, std::span<const std::int32_t> prompt,
                                             int count, std::uint64_t seed,
                                             const std::string& cpu_limit);

/// Words as a line of text each sentence: `<eos>` ends a line.
std::string asText(const ModelFile& model, std::span<const std::int32_t> words);

}  // namespace sumac::worker
