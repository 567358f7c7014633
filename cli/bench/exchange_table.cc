#include "cli/bench/exchange_table.h"

#include <nlohmann/json.hpp>

#include "base/core/table.h"
#include "base/core/units.h"
#include "base/core/version.h"
#include "cli/bench/size_text.h"

namespace sumac::cli {
namespace {

std::string gigabytes(double bytes) {
  constexpr double kGiga = 1e9;
  return fixedText(bytes / kGiga, 2);
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

std::string exchangeTable(const std::vector<ExchangeRow>& rows) {
  std::vector<std::vector<std::string>> lines;
  for (const ExchangeRow& row : rows) {
    const auto& [cell, figures] = row;
    lines.push_back({sizeText(cell.bytes), nameOf(cell), microsecondsText(figures.p50),
                     microsecondsText(figures.least), microsecondsText(figures.most),
                     gigabytes(algorithmBandwidth(row)), gigabytes(busBandwidth(row)), "exact"});
  }
  return table({"SIZE", "ALGORITHM", "P50-US", "MIN-US", "MAX-US", "ALG-GB/S", "BUS-GB/S", "SUMS"},
               lines);
}

std::string exchangeJson(const std::vector<ExchangeRow>& rows) {
  auto cells = nlohmann::ordered_json::array();
  for (const ExchangeRow& row : rows) {
    const auto& [cell, figures] = row;
    cells.push_back({{"bytes", cell.bytes},
                     {"algorithm", toString(cell.method)},
                     {"workers", cell.workers},
                     {"servers", cell.serversStarted()},
                     {"transport", cell.is_encrypted ? "curve" : "none"},
                     {"steps", cell.steps},
                     {"p50Seconds", figures.p50},
                     {"leastSeconds", figures.least},
                     {"mostSeconds", figures.most},
                     {"algorithmBytesPerSecond", algorithmBandwidth(row)},
                     {"busBytesPerSecond", busBandwidth(row)},
                     {"sentBytesPerStep", figures.sent_bytes},
                     {"receivedBytesPerStep", figures.received_bytes},
                     {"sums", "exact"}});
  }
  return nlohmann::ordered_json{{"version", kVersion}, {"cells", cells}}.dump(2) + "\n";
}

}  // namespace sumac::cli
