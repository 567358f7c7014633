#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sumac::cli {

// Amounts of the command line, each with its unit, also as the plan itself prints them: "11.6 min".
// Nothing where the text is none.

/// Seconds: "500ms", "90s", "30m", "30min", "2h", "1.5d".
std::optional<double> secondsIn(std::string_view text);

/// Bytes a second of a link, written as experiments do: "100Mbit", "2.5Gbit".
std::optional<double> linkRateIn(std::string_view text);

/// Bytes of memory, written as Kubernetes does: "512Mi", "4Gi", and "4G" of powers of ten.
std::optional<double> memoryIn(std::string_view text);

/// An amount of money with its currency: "12.50USD".
struct Money {
  double amount = 0;
  std::string currency;
};
std::optional<Money> moneyIn(std::string_view text);

/// A noise scale in samples: "1500", "2.5e6".
std::optional<double> noiseIn(std::string_view text);

/// All digits of an amount, without an exponent, so that it can be typed again.
std::string plainText(double amount);

/// At least `amount`, with three significant digits.
double roundedUp(double amount);

/// Whole steps, rounded up.
std::int64_t wholeSteps(double steps);

}  // namespace sumac::cli
