#include "cli/bench/exchange_table.h"

#include "base/core/units.h"
#include "base/core/version.h"
#include "base/report/values.h"
#include "cli/bench/size_text.h"

namespace sumac::cli {
namespace {

report::Cell timeCell(double seconds) {
  return {microsecondsText(seconds), seconds};
}

report::Cell rateCell(double bytes_per_second) {
  constexpr double kGiga = 1e9;
  return {fixedText(bytes_per_second / kGiga, 2), bytes_per_second};
}

/// "centralized, 2 servers".
std::string nameOf(const ExchangeCell& cell) {
  std::string name(toString(cell.method));
  if (cell.serversStarted() > 0) name += ", " + counted(cell.servers, "server");
  return name;
}

}  // namespace

double algorithmBandwidth(const ExchangeRow& row) {
  return static_cast<double>(row.cell.bytes) / row.figures.p50;
}

double busBandwidth(const ExchangeRow& row) {
  const double workers = row.cell.workers;
  return algorithmBandwidth(row) * 2 * (workers - 1) / workers;
}

report::Table exchangeTable(const std::vector<ExchangeRow>& rows) {
  report::Table table{.columns = {{"bytes", "Size"},
                                  {"algorithm", "Algorithm"},
                                  {"workers", ""},
                                  {"servers", ""},
                                  {"transport", ""},
                                  {"steps", ""},
                                  {"p50Seconds", "P50-us"},
                                  {"leastSeconds", "Min-us"},
                                  {"mostSeconds", "Max-us"},
                                  {"algorithmBytesPerSecond", "Alg-GB/s"},
                                  {"busBytesPerSecond", "Bus-GB/s"},
                                  {"sentBytesPerStep", ""},
                                  {"receivedBytesPerStep", ""},
                                  {"sums", "Sums"}},
                      .most_rows = rows.size()};
  for (const ExchangeRow& row : rows) {
    const auto& [cell, figures] = row;
    table.rows.push_back({{sizeText(cell.bytes), cell.bytes},
                          {nameOf(cell), toString(cell.method)},
                          {.value = cell.workers},
                          {.value = cell.serversStarted()},
                          {.value = cell.is_encrypted ? "curve" : "none"},
                          {.value = cell.steps},
                          timeCell(figures.p50),
                          timeCell(figures.least),
                          timeCell(figures.most),
                          rateCell(algorithmBandwidth(row)),
                          rateCell(busBandwidth(row)),
                          {.value = figures.sent_bytes},
                          {.value = figures.received_bytes},
                          {"exact"}});
  }
  return table;
}

std::string exchangeJson(const std::vector<ExchangeRow>& rows) {
  return report::Value{{"version", kVersion}, {"cells", toJson(exchangeTable(rows))}}.dump(2) +
         "\n";
}

}  // namespace sumac::cli
