#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sumac::planner {

// Numbers for readers, each with its unit. Three significant digits: the model is not more exact.

/// "3.21", "321", "0.00321", "1.2e+09".
std::string digitsText(double value);

/// A time: "512 us", "3.2 ms", "41 s", "12 min", "3.4 h", "2.5 days". Requires seconds >= 0.
std::string durationText(double seconds);

/// A share: "7.3 %".
std::string percentText(double share);

/// What a margin is, one sentence for readers; indifference() has all of it.
inline constexpr const char* kMarginSentence =
    "A margin (±) is the spread of the profile's times, the error of the links' costs and that of "
    "the model itself, the root of the sum of their squares.";

/// How far a value may be off, as a share: "± 7.3 %".
std::string marginText(double share);

/// An amount of money: "3.42 USD"; below 1 three digits.
std::string moneyText(double amount, std::string_view currency);

/// The same with all digits: of what somebody gave.
std::string givenMoneyText(double amount, std::string_view currency);

/// An amount of memory: "1.4 GiB". Requires bytes >= 0.
std::string memoryText(std::int64_t bytes);

/// A link's rate as networks have it: 125'000'000 is "1 Gbit/s".
std::string linkText(double bytes_per_second);

/// Operations a second: "289 GFLOP/s".
std::string operationsText(double operations_per_second);

/// Bytes a second of memory or of sums: "25 GB/s".
std::string bandwidthText(double bytes_per_second);

/// Samples a second: "12300 samples/s".
std::string speedText(double samples_per_second);

}  // namespace sumac::planner
