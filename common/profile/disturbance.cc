#include "common/profile/disturbance.h"

#include <cmath>
#include <cstddef>
#include <utility>

#include "common/base/text.h"

namespace sumac {
namespace {

std::string rowText(const std::string& row, const char* time, double spread) {
  constexpr double kPercent = 100;
  return row + " (" + time + " ± " + std::to_string(std::lround(kPercent * spread)) + " %)";
}

}  // namespace

double spreadOf(const Timing& timing) {
  return timing.median > 0 ? (timing.upper - timing.lower) / 2 / timing.median : 0;
}

double spreadOf(const BatchProfile& batch) {
  Timing step;
  for (const Timing* const time : {&batch.forward, &batch.backward, &batch.update}) {
    step.median += time->median;
    step.lower += time->lower;
    step.upper += time->upper;
  }
  return spreadOf(step);
}

std::vector<std::string> disturbedRows(const JobProfile& profile) {
  std::vector<std::string> rows;
  for (const BatchProfile& batch : profile.batches) {
    std::pair<double, const char*> worst{spreadOf(batch.forward), "forward"};
    if (const double spread = spreadOf(batch.backward); spread > worst.first)
      worst = {spread, "backward"};
    if (const double spread = spreadOf(batch.update); spread > worst.first)
      worst = {spread, "update"};
    if (worst.first <= kTrustedSpread) continue;
    rows.push_back(
        rowText(counted(batch.samples, "sample") + " by " + counted(batch.threads, "thread"),
                worst.second, worst.first));
  }
  for (const LinkMeasurement& link : profile.links) {
    const double spread = spreadOf(link.seconds);
    if (spread <= kTrustedSpread) continue;
    rows.push_back(rowText(bytesText(static_cast<std::uint64_t>(link.bytes)) + " of " +
                               counted(link.workers, "worker"),
                           "exchange", spread));
  }
  return rows;
}

std::string disturbanceText(const JobProfile& profile) {
  const std::vector<std::string> rows = disturbedRows(profile);
  if (rows.empty()) return {};
  constexpr std::size_t kNamed = 6;
  std::string text;
  for (std::size_t i = 0; i < rows.size() && i < kNamed; ++i)
    text += (i > 0 ? ", " : "") + rows[i];
  if (rows.size() > kNamed) text += " and " + std::to_string(rows.size() - kNamed) + " more";
  return text + ": measured while others used the cores; measure again with sumac profile";
}

}  // namespace sumac
