#pragma once

#include <string>
#include <vector>

namespace sumac::report {

/// About `wanted` round numbers that cover [low, high], 1, 2 or 5 times a power of ten apart.
/// Requires low < high.
std::vector<double> ticks(double low, double high, int wanted);

/// Round numbers that cover [low, high], the first and the last with them: powers of ten, and 2 and
/// 5 times these where there are few. Requires 0 < low <= high.
std::vector<double> logarithmicTicks(double low, double high);

/// The labels of such ticks, each with the digits that it needs: "0.01", "1,000". From "1e10" on,
/// and down from "1e-10", powers of ten.
std::vector<std::string> logarithmicTickTexts(const std::vector<double>& ticks);

/// The labels of ticks: all with the digits that their distance needs.
std::vector<std::string> tickTexts(const std::vector<double>& ticks);

}  // namespace sumac::report
