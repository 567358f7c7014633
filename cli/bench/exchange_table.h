#pragma once

#include <string>
#include <vector>

#include "base/report/report.h"
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

/// For people times in microseconds and rates in GB/s, for programs in seconds and bytes a second.
report::Table exchangeTable(const std::vector<ExchangeRow>& rows);

/// The table as programs read it, and the version that measured.
std::string exchangeJson(const std::vector<ExchangeRow>& rows);

}  // namespace sumac::cli
