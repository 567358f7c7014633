#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sumac::cli {

// Amounts of the command line, each with its unit. Nothing where the text is none.

/// Seconds: "90s", "30m", "2h", "1.5d".
std::optional<double> secondsIn(std::string_view text);

/// Bytes a second of a link, written as experiments do: "100Mbit", "2.5Gbit".
std::optional<double> linkRateIn(std::string_view text);

/// Bytes of memory, written as Kubernetes does: "512Mi", "4Gi".
std::optional<double> memoryIn(std::string_view text);

/// An amount of money with its currency: "12.50USD".
struct Money {
  double amount = 0;
  std::string currency;
};
std::optional<Money> moneyIn(std::string_view text);

}  // namespace sumac::cli
