#include "cli/plan/plan_amounts.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>

#include "planner/machines/amount.h"

namespace sumac::cli {
Result<Money> moneyIn(std::string_view text) {
  constexpr std::size_t kLetters = 3;  // ISO 4217
  const std::string_view currency = text.substr(std::max(text.size(), kLetters) - kLetters);
  const auto is_letter = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto amount = planner::numberIn(text.substr(0, text.size() - currency.size()));
  if (!amount || *amount <= 0 || !std::ranges::all_of(currency, is_letter))
    return Error{ErrorCode::kInvalid, "found \"" + std::string(text) +
                                          "\", must be a number above 0 with its currency, such "
                                          "as 12.50USD"};
  return Money{*amount, std::string(currency)};
}

Result<double> noiseIn(std::string_view text) {
  double samples = 0;
  const auto* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, samples);
  // A comparison that is also false of what is no number.
  if (read.ec == std::errc() && read.ptr == end && samples > 0 && samples <= kMostNoise)
    return samples;
  return Error{ErrorCode::kInvalid,
               "found \"" + std::string(text) + "\", must be a number of samples > 0, <= 1e12"};
}

}  // namespace sumac::cli
