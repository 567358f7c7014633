#include "job/progress/progress.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <nlohmann/json.hpp>

#include "base/core/check.h"
#include "base/core/rounded.h"
#include "base/core/slot.h"
#include "job/progress/json_fields.h"

namespace sumac {

namespace names = internal::names;

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kPerplexity = "perplexity";
constexpr const char* kLearningRate = "learningRate";
constexpr const char* kGradientNorm = "gradientNorm";
constexpr const char* kCheckpointStep = "checkpointStep";
constexpr const char* kSkippedStep = "checkpointSkippedStep";
constexpr const char* kLastUpdate = "lastUpdateTime";

/// Nothing where it is missing or no step.
std::optional<Step> stepIn(const json& object, const char* name) {
  const auto step = internal::wholeIn(object, name);
  return step && object.contains(name) ? std::optional<Step>(*step) : std::nullopt;
}

/// Nothing where it is missing, or no worker or no factor above 1.
std::optional<Straggler> stragglerIn(const json& object) {
  const auto found = object.find(names::kStraggler);
  if (found == object.end() || !found->is_object()) return std::nullopt;
  const auto worker = internal::wholeIn(*found, names::kWorker);
  const auto slowdown = internal::decimalIn(*found, names::kSlowdown);
  if (!worker || *worker > kLargestIndex || !slowdown || *slowdown < 1) return std::nullopt;
  return Straggler{static_cast<int>(*worker), *slowdown};
}

}  // namespace

int Progress::percentage() const {
  if (total_steps <= 0) return 0;
  const double done = 100 * static_cast<double>(step) / static_cast<double>(total_steps);
  return static_cast<int>(std::clamp(done, 0.0, 100.0));
}

std::optional<std::int64_t> Progress::remainingSeconds() const {
  if (total_steps <= 0) return std::nullopt;
  if (step >= total_steps) return 0;
  if (!batches_per_second) return std::nullopt;
  const double left = static_cast<double>(total_steps - step) / *batches_per_second;
  const bool is_known = left >= 0 && left <= static_cast<double>(internal::kMostSteps);
  return is_known ? std::optional(static_cast<std::int64_t>(std::ceil(left))) : std::nullopt;
}

ProgressLine::ProgressLine(const Progress& progress, bool is_interim) {
  put("{\"");
  put(names::kEvent);
  put(is_interim ? R"(":"interim")" : R"(":"progress")");
  putInteger(names::kStep, progress.step);
  putInteger(names::kTotalSteps, progress.total_steps);
  putInteger(names::kEpoch, progress.epoch);
  putNumber(names::kLoss, progress.loss);
  putNumber(kPerplexity, progress.perplexity);
  putNumber(kLearningRate, progress.learning_rate);
  putNumber(kGradientNorm, progress.gradient_norm);
  if (const auto& noise = progress.noise_scale) {
    putNumber(names::kNoiseScale, noise->samples);
    putNumber(names::kNoiseScaleLow, noise->low);
    putNumber(names::kNoiseScaleHigh, noise->high);
    putInteger(names::kNoiseScaleSteps, noise->steps);
  }
  putNumber(names::kSamplesPerSecond, progress.samples_per_second);
  putNumber(names::kBatchesPerSecond, progress.batches_per_second);
  putNumber(names::kGradientSeconds, progress.gradient_seconds);
  putNumber(names::kUpdateSeconds, progress.update_seconds);
  putNumber(names::kSumWaitSeconds, progress.sum_wait_seconds);
  putNumber(names::kDataWaitSeconds, progress.data_wait_seconds);
  putNumber(names::kSeconds, progress.seconds);
  put("}");
}

void ProgressLine::put(std::string_view text) {
  SUMAC_CHECK(text.size() <= text_.size() - size_, size_);
  std::copy(text.begin(), text.end(), text_.begin() + static_cast<std::ptrdiff_t>(size_));
  size_ += text.size();
}

void ProgressLine::putInteger(const char* name, std::int64_t value) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  put(",\"");
  put(name);
  put("\":");
  put({digits.data(), static_cast<std::size_t>(end - digits.data())});
}

void ProgressLine::putNumber(const char* name, std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return;
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), rounded(*value)).ptr;
  put(",\"");
  put(name);
  put("\":");
  put({digits.data(), static_cast<std::size_t>(end - digits.data())});
}

std::string toLine(const Progress& progress, bool is_interim) {
  return std::string(ProgressLine(progress, is_interim).text());
}

ordered_json toStatusJson(const Progress& progress) {
  ordered_json object{{names::kStep, progress.step},
                      {names::kTotalSteps, progress.total_steps},
                      {"percentage", progress.percentage()},
                      {names::kEpoch, progress.epoch}};
  internal::putDecimal(object, names::kLoss, progress.loss);
  internal::putDecimal(object, names::kSamplesPerSecond, progress.samples_per_second);
  internal::putDecimal(object, names::kBatchesPerSecond, progress.batches_per_second);
  if (const auto left = progress.remainingSeconds()) object["estimatedRemainingSeconds"] = *left;
  if (progress.checkpoint) object[kCheckpointStep] = *progress.checkpoint;
  if (progress.skipped) object[kSkippedStep] = *progress.skipped;
  if (progress.last_update) object[kLastUpdate] = toRfc3339(*progress.last_update);
  return object;
}

void putStraggler(json& line, const std::optional<Straggler>& straggler) {
  line.erase(names::kStraggler);
  if (!straggler) return;
  line[names::kStraggler] = {{names::kWorker, straggler->worker},
                             {names::kSlowdown, rounded(straggler->slowdown)}};
}

Result<Progress> progressFromJson(const json& object) {
  if (!object.is_object()) return Error{ErrorCode::kInvalid, "progress is not a JSON object"};
  const auto step = internal::wholeIn(object, names::kStep);
  const auto total_steps = internal::wholeIn(object, names::kTotalSteps);
  const auto epoch = internal::wholeIn(object, names::kEpoch);
  for (const auto* number : {&step, &total_steps, &epoch}) {
    if (!*number) return number->error();
  }
  Progress progress;
  progress.step = *step;
  progress.total_steps = *total_steps;
  progress.epoch = *epoch;
  progress.loss = internal::decimalIn(object, names::kLoss);
  progress.perplexity = internal::decimalIn(object, kPerplexity);
  progress.learning_rate = internal::decimalIn(object, kLearningRate);
  progress.gradient_norm = internal::decimalIn(object, kGradientNorm);
  progress.noise_scale = internal::noiseScaleIn(object);
  progress.samples_per_second = internal::decimalIn(object, names::kSamplesPerSecond);
  progress.batches_per_second = internal::decimalIn(object, names::kBatchesPerSecond);
  progress.gradient_seconds = internal::decimalIn(object, names::kGradientSeconds);
  progress.update_seconds = internal::decimalIn(object, names::kUpdateSeconds);
  progress.sum_wait_seconds = internal::decimalIn(object, names::kSumWaitSeconds);
  progress.data_wait_seconds = internal::decimalIn(object, names::kDataWaitSeconds);
  progress.seconds = internal::decimalIn(object, names::kSeconds);
  progress.straggler = stragglerIn(object);
  progress.checkpoint = stepIn(object, kCheckpointStep);
  progress.skipped = stepIn(object, kSkippedStep);
  if (const auto time = object.find(kLastUpdate); time != object.end() && time->is_string()) {
    if (const auto read = parseRfc3339(time->get_ref<const std::string&>())) {
      progress.last_update = *read;
    }
  }
  return progress;
}

}  // namespace sumac
