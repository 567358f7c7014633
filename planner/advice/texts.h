#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sumac::planner {

/// What a margin is, one sentence for readers; indifference() has all of it.
inline constexpr const char* kMarginSentence =
    "A margin (±) is the spread of the profile's times, the error of the links' costs and that of "
    "the model itself, the root of the sum of their squares.";

/// An amount of money: "3.42 USD"; below 1 three digits.
std::string moneyText(double amount, std::string_view currency);

/// The same with all digits: of what somebody gave.
std::string givenMoneyText(double amount, std::string_view currency);

/// An amount of memory: "1.4 GiB". Requires bytes >= 0.
std::string memoryText(std::int64_t bytes);

/// A link's rate as networks have it: 125'000'000 is "1 Gbit/s".
std::string linkText(double bytes_per_second);

}  // namespace sumac::planner
