#include "job/profile/disturbance.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/core/units.h"

namespace sumac {
namespace {

std::string rowText(const std::string& row, const char* time, double spread) {
  return row + " (" + time + " ± " + percentText(spread, 0) + ")";
}

/// The largest spread of a row's times that can be seen in its step.
std::pair<double, const char*> worstOf(const BatchProfile& batch) {
  constexpr double kVisible = 0.01;
  std::pair<double, const char*> worst{0, ""};
  for (const auto& [timing, name] :
       {std::pair(&batch.forward, "forward"), std::pair(&batch.backward, "backward"),
        std::pair(&batch.update, "update")}) {
    const double spread = spreadOf(*timing);
    if (spread * timing->median < kVisible * batch.computeSeconds()) continue;
    if (spread > worst.first) worst = {spread, name};
  }
  return worst;
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
    const auto [spread, time] = worstOf(batch);
    if (spread <= kTrustedSpread) continue;
    rows.push_back(
        rowText(counted(batch.samples, "sample") + " by " + counted(batch.threads, "thread"), time,
                spread));
  }
  for (const LinkMeasurement& link : profile.links) {
    const double spread = spreadOf(link.seconds);
    if (spread <= kTrustedSpread) continue;
    rows.push_back(rowText(bytesText(link.bytes) + " " + link.exchangeName(), "exchange", spread));
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

std::string idleThreadsText(const JobProfile& profile) {
  constexpr double kHardly = 0.9;
  std::int64_t samples = 0;
  for (const BatchProfile& batch : profile.batches)
    samples = std::max(samples, batch.samples);
  const BatchProfile* fewest = nullptr;
  const BatchProfile* most = nullptr;
  for (const BatchProfile& batch : profile.batches) {
    if (batch.samples != samples) continue;
    if (fewest == nullptr || batch.threads < fewest->threads) fewest = &batch;
    if (most == nullptr || batch.threads > most->threads) most = &batch;
  }
  if (fewest == nullptr || most == nullptr) return {};
  if (fewest->parts != most->parts || fewest->threads == most->threads) return {};
  const double share = most->computeSeconds() / fewest->computeSeconds();
  if (share < kHardly) return {};
  return counted(most->threads, "thread") + " take " + percentText(share, 0) + " of the time of " +
         counted(fewest->threads, "thread") + " for " + counted(most->samples, "sample") +
         ": either the layers are small, or others used the cores all the time; make sure that "
         "nothing else runs, and measure again with sumac profile";
}

}  // namespace sumac
