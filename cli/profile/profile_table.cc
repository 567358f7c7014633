#include "cli/profile/profile_table.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <vector>

#include "common/base/table.h"
#include "common/base/text.h"
#include "common/profile/disturbance.h"
#include "planner/exchange_cost/profiled_step.h"

namespace sumac::cli {
namespace {

using Row = std::vector<std::string>;

std::string digits(double value, int decimals) {
  constexpr std::size_t kLongest = 64;
  std::array<char, kLongest> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return text.data();
}

/// Microseconds with about three digits.
std::string microseconds(double seconds) {
  constexpr double kMicro = 1e6;
  constexpr double kFew = 100;
  const double us = seconds * kMicro;
  return digits(us, us < kFew ? 1 : 0);
}

/// "251 ± 2 %": half the distance of the quartiles, as a share of the median.
std::string timingText(const Timing& timing) {
  if (timing.median <= 0) return microseconds(0);
  constexpr double kPercent = 100;
  return microseconds(timing.median) + " ± " + digits(kPercent * spreadOf(timing), 0) + " %";
}

std::string batchTable(const JobProfile& profile) {
  std::vector<Row> rows;
  for (const BatchProfile& batch : profile.batches) {
    const double seconds = batch.computeSeconds();
    rows.push_back(
        {std::to_string(batch.samples), std::to_string(batch.parts), std::to_string(batch.threads),
         timingText(batch.forward), timingText(batch.backward), timingText(batch.update),
         microseconds(seconds), digits(static_cast<double>(batch.samples) / seconds, 0),
         digits(batch.crowded, 2), bytesText(static_cast<std::uint64_t>(batch.workspace_bytes))});
  }
  return table({"SAMPLES", "PARTS", "THREADS", "FORWARD-US", "BACKWARD-US", "UPDATE-US",
                "COMPUTE-US", "SAMPLES/S", "CROWDED", "WORKSPACE"},
               rows);
}

std::string layerTable(const BatchProfile& batch) {
  std::vector<Row> rows;
  for (const LayerProfile& layer : batch.layers) {
    std::int64_t parameters = 0;
    for (const TensorProfile& tensor : layer.tensors)
      parameters += tensor.values;
    rows.push_back({layer.name, microseconds(layer.forward_seconds),
                    microseconds(layer.weightGradientSeconds()),
                    microseconds(layer.input_gradient_seconds), microseconds(layer.update_seconds),
                    std::to_string(parameters),
                    bytesText(static_cast<std::uint64_t>(layer.value_bytes))});
  }
  return table({"LAYER", "FORWARD-US", "WEIGHT-GRADIENT-US", "INPUT-GRADIENT-US", "UPDATE-US",
                "PARAMETERS", "VALUES"},
               rows);
}

/// "2 workers, 1 server".
std::string membersText(const LinkMeasurement& link) {
  const std::string workers = counted(link.workers, "worker");
  switch (link.sums) {
    case SummedBy::kServers: return workers + ", " + counted(link.servers, "server");
    case SummedBy::kOwners: return workers + ", each its share";
    case SummedBy::kEveryone: return workers + ", each all";
  }
  return {};
}

std::string linkTable(const JobProfile& profile) {
  constexpr double kGiga = 1e9;
  std::vector<Row> rows;
  for (const LinkMeasurement& link : profile.links) {
    rows.push_back({link.path, membersText(link), bytesText(static_cast<std::uint64_t>(link.bytes)),
                    timingText(link.seconds),
                    digits(static_cast<double>(link.bytes) / link.seconds.median / kGiga, 2)});
  }
  return table({"PATH", "MEMBERS, WHO SUMS", "SIZE", "EXCHANGE-US", "GB/S"}, rows);
}

/// What the cost model makes of the links.
std::string costsText(const JobProfile& profile) {
  const auto fit = planner::costsOf(profile, profile.links.front().path);
  if (!fit) return fit.error().message + "\n";
  constexpr double kGiga = 1e9;
  constexpr double kPercent = 100;
  const ExchangeCosts& costs = fit->costs.exchange;
  std::string text = "An exchange costs " + microseconds(fit->costs.step) + " us, a hop " +
                     microseconds(costs.hop) + " us, a message " + microseconds(costs.message) +
                     " us, a byte " + digits(kGiga * costs.byte, 3) + " ns and in large vectors " +
                     digits(kGiga * fit->costs.far_byte, 3) + " ns more; a thread adds " +
                     digits(profile.sum_bytes_per_second / kGiga, 1) +
                     " GB/s to a sum.\nThese explain the exchanges with an error of " +
                     digits(kPercent * fit->error(), 1) + " %";
  const std::string caveat = fit->caveat();
  return text + (caveat.empty() ? "" : "; " + caveat) + ".\n";
}

}  // namespace

std::string profileTable(const JobProfile& profile) {
  const ProfileMachine& machine = profile.machine;
  std::string text = profile.subject.network + ", " + profile.subject.optimizer + ", on " +
                     machine.host + ": " + machine.cpu + ", " + counted(machine.cores, "core") +
                     ", " + machine.kernels + " kernels\n\n" + batchTable(profile);
  if (!profile.batches.empty()) {
    const auto is_first = [&profile](const BatchProfile& batch) {
      return batch.threads == profile.batches.front().threads;
    };
    const auto sizes = std::ranges::count_if(profile.batches, is_first);
    const BatchProfile& batch = profile.batches[static_cast<std::size_t>(sizes / 2)];
    text += "\nLayer by layer, " + counted(batch.samples, "sample") + ", " +
            counted(batch.threads, "thread") + ":\n" + layerTable(batch);
  }
  if (!profile.links.empty()) text += "\n" + linkTable(profile) + costsText(profile);
  for (const std::string& warning : {disturbanceText(profile), idleThreadsText(profile)})
    if (!warning.empty()) text += "\nwarning: " + warning + ".\n";
  return text;
}

}  // namespace sumac::cli
