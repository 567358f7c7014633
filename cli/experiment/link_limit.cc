#include "cli/experiment/link_limit.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/core/units.h"
#include "job/progress/job_result.h"

#include "experiment/document/conditions.h"

namespace sumac::cli {
namespace {

constexpr double kTolerance = 1.2;           // the bytes are the mean of all steps, the time is not
constexpr double kBucketBits = 8 * 262'144;  // that a link lets through at once

using Phases = std::vector<experiment::ScalePhase>;

/// Over their steps.
double meanWorkers(Phases::const_iterator first, Phases::const_iterator end) {
  double steps = 0;
  double steps_of_workers = 0;
  for (auto phase = first; phase != end; ++phase) {
    const auto of_phase = static_cast<double>(phase->last_step - phase->first_step + 1);
    steps += of_phase;
    steps_of_workers += of_phase * phase->workers;
  }
  return steps_of_workers / steps;
}

}  // namespace

LinkLimit LinkLimit::of(const experiment::Cell& cell) {
  LinkLimit limit{cell.conditions.link_bits_per_second};
  if (!cell.job.strategy.hasServers()) return limit;
  limit.workers = cell.job.worker.replicas;
  limit.servers = std::max(1, cell.job.server.replicas);
  return limit;
}

double LinkLimit::workersPerServer() const {
  return servers == 0 ? 1 : std::max(1.0, workers / servers);
}

std::string brokenLimit(const LinkLimit& limit, const experiment::RunFigures& figures) {
  if (!limit.bits_per_second || !figures.bytes) return {};
  const double bytes = std::max(figures.bytes->sent, figures.bytes->received);
  const double bits = 8 * bytes * limit.workersPerServer() * static_cast<double>(figures.steps);
  const double most = kTolerance * static_cast<double>(*limit.bits_per_second) * figures.seconds;
  if (bits <= most + kBucketBits) return {};
  return "links are not limited to " + experiment::rateText(*limit.bits_per_second) +
         ": one carried " + bitRateText(bits / figures.seconds) +
         ". The nodes' network plugins do not carry out the pods' annotations "
         "kubernetes.io/ingress-bandwidth and egress-bandwidth, as the CNI plugin `bandwidth` "
         "does; "
         "have it set up, or leave out link.rate";
}

std::string brokenLimit(const LinkLimit& limit, const experiment::ScaleRecord& record,
                        const std::string& message) {
  const auto phases = experiment::phasesOf(record);
  const auto result = jobResultFromMessage(message);
  if (phases.empty() || !result) return {};
  const auto first = record.restarts == 0 ? phases.begin() : std::prev(phases.end());
  const Step before = record.restarts == 0 ? 0 : record.changes.back().step;
  experiment::RunFigures figures;
  figures.steps = phases.back().last_step - first->first_step;
  figures.seconds = phases.back().end_seconds - first->begin_seconds;
  experiment::addResult(figures, message);
  if (!figures.bytes || figures.steps < 1 || result->steps <= before) return {};
  // A worker counts the bytes since its process began, and the steps since the job did.
  const double share =
      static_cast<double>(result->steps) / static_cast<double>(result->steps - before);
  figures.bytes->sent *= share;
  figures.bytes->received *= share;
  LinkLimit then = limit;
  then.workers = meanWorkers(first, phases.end());
  return brokenLimit(then, figures);
}

}  // namespace sumac::cli
