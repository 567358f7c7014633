#include "experiment/document/conditions.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "experiment/document/sizing.h"

namespace sumac::experiment {
namespace {

constexpr std::string_view kRate = "link.rate";
constexpr std::string_view kCompute = "compute";
constexpr std::string_view kSlowdown = "slowdown";
constexpr std::string_view kSizing = "autoscaling";
constexpr std::array kOwnFields = {kRate, kCompute, kSlowdown, kSizing,
                                   std::string_view("batchSizePerWorker")};

constexpr std::int64_t kMega = 1'000'000;
constexpr std::int64_t kGiga = 1'000 * kMega;
// Largest first. As tc writes them: decimal.
constexpr std::array kUnits = {std::pair(std::string_view("Gbit"), kGiga),
                               std::pair(std::string_view("Mbit"), kMega)};
// Below it the bucket of a link lasts for seconds, above it one machine cannot carry what several
// members send.
constexpr std::int64_t kLeastRate = kMega;
constexpr std::int64_t kMostRate = kGiga;
constexpr std::size_t kMostDigits = 6;

/// Bits a second; nothing where `text` is no rate.
std::optional<std::int64_t> rateOf(std::string_view text) {
  for (const auto& [unit, bits] : kUnits) {
    if (!text.ends_with(unit)) continue;
    const std::string_view digits = text.substr(0, text.size() - unit.size());
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (digits.empty() || digits.size() > kMostDigits || !std::ranges::all_of(digits, is_digit))
      return std::nullopt;
    std::int64_t count = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), count);
    return count * bits;
  }
  return std::nullopt;
}

}  // namespace

std::string_view ownField(std::string_view path) {
  constexpr std::string_view kSpec = "spec.";
  if (path.starts_with(kSpec)) path.remove_prefix(kSpec.size());
  const auto* const found = std::ranges::find(kOwnFields, path);
  return found == kOwnFields.end() ? std::string_view() : *found;
}

Result<void> setCondition(Conditions& conditions, std::string_view field, const yaml::Node& value) {
  const bool is_set = value.kind != yaml::Kind::kNull;
  if (field == kCompute) {
    conditions.is_emulated = is_set && value.text == "emulated";
  } else if (field == kSlowdown) {
    conditions.slowdown = 1;
    std::from_chars(value.text.data(), value.text.data() + value.text.size(), conditions.slowdown);
  } else if (field == kSizing) {
    conditions.hpa = hpaOf(value);
  } else if (field == kRate) {
    const auto rate = is_set ? rateOf(value.text) : std::nullopt;
    if (rate && (*rate < kLeastRate || *rate > kMostRate)) {
      return Error{ErrorCode::kInvalid, "found " + value.text + ", must be >= " +
                                            rateText(kLeastRate) + ", <= " + rateText(kMostRate)};
    }
    conditions.link_bits_per_second = rate;
  }
  return {};
}

std::string contradiction(const Conditions& conditions) {
  if (conditions.is_emulated || conditions.slowdown == 1) return {};
  return "only used with compute emulated";
}

std::string rateText(std::int64_t bits_per_second) {
  for (const auto& [unit, bits] : kUnits) {
    if (bits_per_second >= bits && bits_per_second % bits == 0)
      return std::to_string(bits_per_second / bits) + std::string(unit);
  }
  return std::to_string(bits_per_second) + "bit";
}

bool isRate(std::string_view text) {
  return rateOf(text).has_value();
}

}  // namespace sumac::experiment
