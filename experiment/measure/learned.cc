#include "experiment/measure/learned.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "base/core/rounded.h"

namespace sumac::experiment {

const char* keyOf(Score score) {
  constexpr std::array kKeys{"loss", "validAccuracy", "testAccuracy", "validPerplexity",
                             "testPerplexity"};
  return kKeys.at(static_cast<std::size_t>(score));
}

Learned learnedOf(const JobResult& result) {
  Learned learned;
  if (result.is_emulated) return learned;
  const auto add = [&learned](Score score, const std::optional<double>& value) {
    if (value && std::isfinite(*value)) learned.scores[score] = *value;
  };
  add(Score::kLoss, result.loss);
  add(Score::kValidAccuracy, result.valid_accuracy);
  add(Score::kTestAccuracy, result.test_accuracy);
  add(Score::kValidPerplexity, result.valid_perplexity);
  add(Score::kTestPerplexity, result.test_perplexity);
  learned.seed = result.setting.seed;
  return learned;
}

nlohmann::ordered_json toJson(const Learned& learned) {
  nlohmann::ordered_json json{{"seed", learned.seed}};
  for (const auto& [score, value] : learned.scores)
    json[keyOf(score)] = rounded(value);
  return json;
}

std::optional<Learned> learnedFrom(const nlohmann::json& json) {
  const auto seed = json.is_object() ? json.find("seed") : json.end();
  if (seed == json.end() || !seed->is_number_unsigned()) return std::nullopt;
  Learned learned{{}, seed->get<std::uint64_t>()};
  for (const Score score : kScores) {
    const auto found = json.find(keyOf(score));
    if (found == json.end()) continue;
    if (!found->is_number()) return std::nullopt;
    learned.scores[score] = found->get<double>();
  }
  return learned;
}

}  // namespace sumac::experiment
