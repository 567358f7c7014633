#include "job/progress/json_fields.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <nlohmann/json.hpp>

#include "base/core/rounded.h"
#include "job/progress/progress.h"

namespace sumac {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxDecimal = 32;   // as the status' schema has it
constexpr double kLargestDecimal = 1e99;  // its exponents have two digits

std::optional<double> finite(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<double> fromText(const std::string& text) {
  const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
  });
  if (!is_plain || text.size() > kMaxDecimal) return std::nullopt;
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, value);
  return problem == std::errc() && rest == end ? finite(value) : std::nullopt;
}

}  // namespace

std::string decimalText(std::optional<double> value) {
  if (!value || !std::isfinite(*value) || std::abs(*value) > kLargestDecimal) return {};
  if (*value != 0 && std::abs(*value) < 1 / kLargestDecimal) return "0";
  return json(*value).dump();
}

namespace internal {

std::optional<double> decimalIn(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return std::nullopt;
  if (found->is_number()) return finite(found->get<double>());
  return found->is_string() ? fromText(found->get_ref<const std::string&>()) : std::nullopt;
}

Result<std::int64_t> wholeIn(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return 0;
  if (found->is_number_integer()) {
    // A negative one becomes too large.
    const auto value = found->get<std::uint64_t>();
    if (value <= static_cast<std::uint64_t>(kMostSteps)) return static_cast<std::int64_t>(value);
  }
  return Error{ErrorCode::kInvalid, std::string(name) + ": must be a whole number from 0 to " +
                                        std::to_string(kMostSteps)};
}

void putNumber(nlohmann::ordered_json& object, const char* name, std::optional<double> value) {
  if (value && std::isfinite(*value)) object[name] = rounded(*value);
}

void putDecimal(nlohmann::ordered_json& object, const char* name, std::optional<double> value) {
  const std::string text = decimalText(value);
  if (!text.empty()) object[name] = text;
}

void putNoiseScale(nlohmann::ordered_json& object, const NoiseScale& noise) {
  putNumber(object, names::kNoiseScale, noise.samples);
  putNumber(object, names::kNoiseScaleLow, noise.low);
  putNumber(object, names::kNoiseScaleHigh, noise.high);
  object[names::kNoiseScaleSteps] = noise.steps;
}

std::optional<NoiseScale> noiseScaleIn(const json& object) {
  const auto samples = decimalIn(object, names::kNoiseScale);
  if (!samples) return std::nullopt;
  const auto steps = wholeIn(object, names::kNoiseScaleSteps);
  return NoiseScale{.samples = *samples,
                    .low = decimalIn(object, names::kNoiseScaleLow),
                    .high = decimalIn(object, names::kNoiseScaleHigh),
                    .steps = steps ? *steps : 0};
}

std::string dumped(const nlohmann::ordered_json& object) {
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace internal
}  // namespace sumac
