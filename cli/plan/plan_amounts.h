#pragma once

#include <string>
#include <string_view>

#include "base/core/result.h"

namespace sumac::cli {

// Amounts of the command line that no machine has; for the others see planner/machines/amount.h.

/// An amount of money with its currency: "12.50USD".
struct Money {
  double amount = 0;
  std::string currency;
};
/// Fails with kInvalid and what is wrong, as noiseIn() does.
Result<Money> moneyIn(std::string_view text);

/// The largest noise scale that is believed, in samples.
inline constexpr double kMostNoise = 1e12;

/// A noise scale in samples: "1500", "2.5e6".
Result<double> noiseIn(std::string_view text);

}  // namespace sumac::cli
