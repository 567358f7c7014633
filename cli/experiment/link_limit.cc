#include "cli/experiment/link_limit.h"

#include <algorithm>

#include "experiment/document/conditions.h"

namespace sumac::cli {
namespace {

constexpr double kTolerance = 1.2;           // the bytes are the mean of all steps, the time is not
constexpr double kBucketBits = 8 * 262'144;  // that a link lets through at once

}  // namespace

LinkLimit LinkLimit::of(const experiment::Cell& cell) {
  LinkLimit limit{cell.conditions.link_bits_per_second};
  if (!cell.job.strategy.hasServers()) return limit;
  const double workers = cell.job.worker.replicas;
  limit.workers_per_server = std::max(1.0, workers / std::max(1, cell.job.server.replicas));
  return limit;
}

std::string brokenLimit(const LinkLimit& limit, const experiment::RunFigures& figures) {
  if (!limit.bits_per_second || !figures.bytes) return {};
  const double bytes = std::max(figures.bytes->sent, figures.bytes->received);
  const double bits = 8 * bytes * limit.workers_per_server * static_cast<double>(figures.steps);
  const double most = kTolerance * static_cast<double>(*limit.bits_per_second) * figures.seconds;
  if (bits <= most + kBucketBits) return {};
  constexpr double kMega = 1e6;
  const auto carried = static_cast<std::int64_t>(bits / figures.seconds / kMega);
  return "links are not limited to " + experiment::rateText(*limit.bits_per_second) +
         ": one carried " + std::to_string(carried) +
         " Mbit/s. The nodes' network plugins do not carry out the pods' annotations "
         "kubernetes.io/ingress-bandwidth and egress-bandwidth, as the CNI plugin `bandwidth` "
         "does; "
         "have it set up, or leave out link.rate";
}

}  // namespace sumac::cli
