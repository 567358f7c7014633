#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>

#include <nlohmann/json_fwd.hpp>

#include "job/progress/job_result.h"

namespace sumac::experiment {

/// A figure of what a run learned.
enum class Score { kLoss, kValidAccuracy, kTestAccuracy, kValidPerplexity, kTestPerplexity };
inline constexpr std::array kScores{Score::kLoss, Score::kValidAccuracy, Score::kTestAccuracy,
                                    Score::kValidPerplexity, Score::kTestPerplexity};

/// As result.json has it: "validAccuracy".
const char* keyOf(Score score);

/// What a run learned, and from which seed. A value type.
struct Learned {
  std::map<Score, double> scores = {};  // those that the job told; none: nothing is known
  std::uint64_t seed = 0;               // of the job

  bool operator==(const Learned&) const = default;
};

/// What a job's result tells; of one whose workers only waited nothing.
Learned learnedOf(const JobResult& result);

/// As a part of a run's file, and back; nothing for anything else.
nlohmann::ordered_json toJson(const Learned& learned);
std::optional<Learned> learnedFrom(const nlohmann::json& json);

}  // namespace sumac::experiment
