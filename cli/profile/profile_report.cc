#include "cli/profile/profile_report.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/core/units.h"
#include "job/profile/disturbance.h"
#include "planner/exchange_cost/profiled_step.h"

namespace sumac::cli {
namespace {

using report::Cell;
using report::Table;

constexpr double kGiga = 1e9;

std::vector<report::Column> columnsOf(std::initializer_list<const char*> titles) {
  std::vector<report::Column> columns;
  for (const char* const title : titles)
    columns.push_back({"", title, "", report::ColumnKind::kNumber});
  return columns;
}

Cell timeCell(double seconds) {
  return {microsecondsText(seconds), seconds};
}

/// "251 ± 2 %": half the distance of the quartiles, as a share of the median.
Cell timingCell(const Timing& timing) {
  Cell cell = timeCell(std::max(timing.median, 0.0));
  if (timing.median > 0) cell.aside = "± " + percentText(spreadOf(timing), 0);
  return cell;
}

Cell sizeCell(std::int64_t bytes) {
  return {bytesText(bytes), bytes};
}

Table batchTable(const JobProfile& profile) {
  Table table{
      .columns = columnsOf({"Samples", "Parts", "Threads", "Forward-us", "Backward-us", "Update-us",
                            "Compute-us", "Samples/s", "Contended", "Workspace"}),
      .most_rows = profile.batches.size(),
      .noun = "batch"};
  for (const BatchProfile& batch : profile.batches) {
    const double seconds = batch.computeSeconds();
    table.rows.push_back({{"", batch.samples},
                          {"", batch.parts},
                          {"", batch.threads},
                          timingCell(batch.forward),
                          timingCell(batch.backward),
                          timingCell(batch.update),
                          timeCell(seconds),
                          {fixedText(static_cast<double>(batch.samples) / seconds, 0)},
                          {fixedText(batch.crowded, 2)},
                          sizeCell(batch.workspace_bytes)});
  }
  return table;
}

Table layerTable(const BatchProfile& batch) {
  Table table{.columns = columnsOf({"Layer", "Forward-us", "Weight-gradient-us",
                                    "Input-gradient-us", "Update-us", "Parameters", "Values"}),
              .most_rows = batch.layers.size(),
              .noun = "layer"};
  for (const LayerProfile& layer : batch.layers) {
    std::int64_t parameters = 0;
    for (const TensorProfile& tensor : layer.tensors)
      parameters += tensor.values;
    table.rows.push_back({{layer.name},
                          timeCell(layer.forward_seconds),
                          timeCell(layer.weightGradientSeconds()),
                          timeCell(layer.input_gradient_seconds),
                          timeCell(layer.update_seconds),
                          {"", parameters},
                          sizeCell(layer.value_bytes)});
  }
  return table;
}

Table linkTable(const JobProfile& profile) {
  Table table{.columns = columnsOf({"Path", "Exchange", "Size", "Time-us", "GB/s"}),
              .most_rows = profile.links.size(),
              .noun = "exchange"};
  for (const LinkMeasurement& link : profile.links) {
    const double rate = static_cast<double>(link.bytes) / link.seconds.median / kGiga;
    table.rows.push_back({{link.path},
                          {link.exchangeName()},
                          sizeCell(link.bytes),
                          timingCell(link.seconds),
                          {fixedText(rate, 2), rate}});
  }
  return table;
}

/// What the cost model makes of the links.
std::string costsText(const JobProfile& profile) {
  if (profile.links.empty()) return {};
  const auto fit = planner::costsOf(profile, profile.links.front().path);
  if (!fit) return fit.error().message;
  const ExchangeCosts& costs = fit->costs.exchange;
  const std::string caveat = fit->caveat();
  return "An exchange costs " + microsecondsText(fit->costs.step) + " us, a hop " +
         microsecondsText(costs.hop) + " us, a message " + microsecondsText(costs.message) +
         " us, a byte " + fixedText(kGiga * costs.byte, 3) + " ns and in large vectors " +
         fixedText(kGiga * fit->costs.far_byte, 3) + " ns more; a thread adds " +
         fixedText(profile.sum_bytes_per_second / kGiga, 1) +
         " GB/s to a sum. These explain the exchanges with an error of " +
         percentText(fit->error()) + (caveat.empty() ? "" : "; " + caveat) + ".";
}

/// Layer by layer, the middle one of the batches by as many threads as the first.
report::Section layerSection(const JobProfile& profile) {
  if (profile.batches.empty()) return {};
  const auto sizes =
      std::ranges::count(profile.batches, profile.batches.front().threads, &BatchProfile::threads);
  const BatchProfile& batch = profile.batches[static_cast<std::size_t>(sizes / 2)];
  return {"Layer by layer, " + counted(batch.samples, "sample") + ", " +
              counted(batch.threads, "thread"),
          report::Audience::kAll,
          {layerTable(batch)}};
}

}  // namespace

report::Report profileReport(const JobProfile& profile) {
  constexpr auto kAll = report::Audience::kAll;
  const ProfileMachine& machine = profile.machine;
  const std::string subject = profile.subject.network + ", " + profile.subject.optimizer + ", on " +
                              machine.host + ": " + machine.cpu + ", " +
                              counted(machine.cores, "core") + ", " + machine.kernels + " kernels";
  report::Section warnings{"", kAll};
  for (const std::string& warning : {disturbanceText(profile), idleThreadsText(profile)})
    if (!warning.empty())
      warnings.blocks.emplace_back(report::Paragraph{"warning: " + warning + "."});
  return {{"Sumac profile", profile.subject.network, subject, {}, {}},
          {{"", report::Audience::kTerminal, {report::Paragraph{subject}}},
           {"Batches", kAll, {batchTable(profile)}},
           layerSection(profile),
           {"Exchanges", kAll, {linkTable(profile), report::Paragraph{costsText(profile)}}},
           std::move(warnings)}};
}

}  // namespace sumac::cli
