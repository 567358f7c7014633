#pragma once

#include <string>
#include <vector>

#include "cli/bench/exchange_cell.h"

namespace sumac::cli {

/// A cell that was measured; every sum that was checked was right.
struct ExchangeRow {
  ExchangeCell cell;
  ExchangeFigures figures;
};

/// Bytes of the vector a second, as all-reduce benchmarks have it.
double algorithmBandwidth(const ExchangeRow& row);

/// What each of N members must send and receive at least in an all-reduce of these bytes,
/// 2(N-1)/N times the vector, a second: comparable between numbers of members. 0 for one worker.
double busBandwidth(const ExchangeRow& row);

/// One line for each row.
std::string exchangeTable(const std::vector<ExchangeRow>& rows);

/// The same with all digits, times in seconds and rates in bytes a second.
std::string exchangeJson(const std::vector<ExchangeRow>& rows);

}  // namespace sumac::cli
