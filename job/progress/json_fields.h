#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/core/result.h"
#include "job/progress/noise_scale.h"

namespace sumac::internal {

/// Every name that a job's progress and its result share: the same word in each of their forms.
namespace names {
inline constexpr const char* kEvent = "event";
inline constexpr const char* kStep = "step";
inline constexpr const char* kTotalSteps = "totalSteps";
inline constexpr const char* kEpoch = "epoch";
inline constexpr const char* kLoss = "loss";
inline constexpr const char* kSeconds = "seconds";
inline constexpr const char* kSamplesPerSecond = "samplesPerSecond";
inline constexpr const char* kBatchesPerSecond = "batchesPerSecond";
inline constexpr const char* kGradientSeconds = "gradientSeconds";
inline constexpr const char* kUpdateSeconds = "updateSeconds";
inline constexpr const char* kSumWaitSeconds = "sumWaitSeconds";
inline constexpr const char* kDataWaitSeconds = "dataWaitSeconds";
inline constexpr const char* kStraggler = "straggler";
inline constexpr const char* kWorker = "worker";
inline constexpr const char* kSlowdown = "slowdown";
inline constexpr const char* kWorkers = "workers";
inline constexpr const char* kServers = "servers";
inline constexpr const char* kTerm = "term";
inline constexpr const char* kGeneration = "generation";
inline constexpr const char* kTestAccuracy = "testAccuracy";
inline constexpr const char* kValidAccuracy = "validAccuracy";
inline constexpr const char* kValidPerplexity = "validPerplexity";
inline constexpr const char* kTestPerplexity = "testPerplexity";
inline constexpr const char* kNoiseScale = "noiseScale";
inline constexpr const char* kNoiseScaleLow = "noiseScaleLow";
inline constexpr const char* kNoiseScaleHigh = "noiseScaleHigh";
inline constexpr const char* kNoiseScaleSteps = "noiseScaleSteps";
}  // namespace names

/// Larger whole numbers are not exact in every JSON reader.
inline constexpr std::int64_t kMostSteps = std::int64_t{1} << 52;

/// A finite number, or a decimal as text; nothing for anything else.
std::optional<double> decimalIn(const nlohmann::json& object, const char* name);

/// 0 where it is absent. Fails with kInvalid when it is not a whole number from 0 to kMostSteps.
Result<std::int64_t> wholeIn(const nlohmann::json& object, const char* name);

/// With six significant digits; left out where it is absent.
void putNumber(nlohmann::ordered_json& object, const char* name, std::optional<double> value);

/// As decimalText(); left out where that is empty.
void putDecimal(nlohmann::ordered_json& object, const char* name, std::optional<double> value);

/// The noise scale's four fields.
void putNoiseScale(nlohmann::ordered_json& object, const NoiseScale& noise);
std::optional<NoiseScale> noiseScaleIn(const nlohmann::json& object);

/// Without line breaks; bytes that are not UTF-8 are replaced.
std::string dumped(const nlohmann::ordered_json& object);

}  // namespace sumac::internal
