#include "planner/advice/texts.h"

#include <cmath>

#include "base/core/units.h"

namespace sumac::planner {

std::string moneyText(double amount, std::string_view currency) {
  constexpr double kLarge = 1e7;
  const bool is_plain = amount == 0 || (amount >= 1 && amount < kLarge);
  return (is_plain ? fixedText(amount, 2) : digitsText(amount)) + " " + std::string(currency);
}

std::string givenMoneyText(double amount, std::string_view currency) {
  constexpr int kCents = 2;
  constexpr int kMost = 9;  // what is typed has no more
  constexpr double kExact = 1e-9;
  int decimals = kCents;
  for (double unit = 1e-2;
       decimals < kMost && std::abs(std::round(amount / unit) * unit - amount) > kExact * amount;
       unit /= 10)
    ++decimals;
  return fixedText(amount, decimals) + " " + std::string(currency);
}

std::string memoryText(std::int64_t bytes) {
  return bytesText(static_cast<std::uint64_t>(bytes));
}

std::string linkText(double bytes_per_second) {
  constexpr double kBits = 8;
  return bitRateText(kBits * bytes_per_second);
}

}  // namespace sumac::planner
