#include "planner/exchange_cost/step_time.h"

#include <algorithm>

namespace sumac::planner {
namespace {

/// What an exchange takes beyond its hops.
double streamSeconds(const ExchangeWork& work, const ExchangeCosts& costs) {
  return work.messages * costs.message + work.bytes * costs.byte + work.added_bytes * costs.add;
}

/// The costs with a link of that rate between all members.
ExchangeCosts throughLink(ExchangeCosts costs, double bytes_per_second) {
  if (bytes_per_second > 0) costs.byte = std::max(costs.byte, 1 / bytes_per_second);
  return costs;
}

/// The gradient as it is sent: pieces of at least a bucket, the last one of what is left.
std::vector<GradientPiece> bucketsOf(const StepShape& shape) {
  std::vector<GradientPiece> buckets;
  GradientPiece open;
  for (const GradientPiece& piece : shape.compute.backward) {
    open.seconds += piece.seconds;
    open.share += piece.share;
    if (open.share * shape.exchange.value_bytes < kBucketBytes) continue;
    buckets.push_back(open);
    open = {};
  }
  if (open.share > 0 || buckets.empty()) buckets.push_back(open);
  return buckets;
}

/// How long the exchange goes on after the backward pass has ended, where that is `slowdown` times
/// as long and the exchange takes `stream` for all bytes.
double exposedSeconds(const StepShape& shape, double slowdown, double stream) {
  const double end = slowdown * shape.compute.backwardSeconds();
  const std::vector<GradientPiece> buckets = bucketsOf(shape);
  double share = 0;
  for (const GradientPiece& bucket : buckets)
    share += bucket.share;
  double ready = 0;
  double finished = 0;
  for (const GradientPiece& bucket : buckets) {
    ready += slowdown * bucket.seconds;
    // The loss and the part state travel with the last piece; they weigh nothing here.
    const double part = share > 0 ? bucket.share / share : 1;
    finished = std::max(finished, ready) + part * stream;
  }
  if (shape.compute.backward.empty()) return stream;  // nothing is final before the end
  return std::max(0.0, finished - end);
}

/// All cores' work in a step, in seconds of one core.
double coreSeconds(const StepShape& shape, const ExchangeWork& work, const StepCosts& costs,
                   bool is_emulated) {
  const StepCompute& compute = shape.compute;
  const double passes = compute.forward_seconds + compute.backwardSeconds();
  const double each = is_emulated ? 0 : passes + compute.update_seconds;
  const ExchangeWork all{
      .messages = work.all_messages, .bytes = work.all_bytes, .added_bytes = work.all_added_bytes};
  return shape.exchange.workers * compute.threads * each + streamSeconds(all, costs.exchange);
}

}  // namespace

std::string_view toString(Bound bound) {
  switch (bound) {
    case Bound::kCompute: return "compute";
    case Bound::kExchange: return "exchange";
    case Bound::kCores: return "cores";
  }
  return {};
}

double StepCompute::backwardSeconds() const {
  double seconds = rest_seconds;
  for (const GradientPiece& piece : backward)
    seconds += piece.seconds;
  return seconds;
}

double exchangeSeconds(const ExchangeWork& work, const ExchangeCosts& costs) {
  return work.hops * costs.hop + streamSeconds(work, costs);
}

StepTime stepTime(const StepShape& shape, const StepCosts& costs, const Surroundings& where) {
  const ExchangeWork work = exchangeWork(shape.exchange);
  const ExchangeCosts path = throughLink(costs.exchange, where.link_bytes_per_second);
  const double computing = static_cast<double>(shape.exchange.workers) * shape.compute.threads;
  const bool is_shared = where.shared_cores > 0 && !where.is_emulated;
  const double slowdown = is_shared ? std::max(1.0, computing / where.shared_cores) : 1;
  StepTime time;
  time.forward = slowdown * shape.compute.forward_seconds;
  time.backward = slowdown * shape.compute.backwardSeconds();
  time.update = slowdown * shape.compute.update_seconds;
  time.other = costs.step;
  if (work.hops > 0) {
    time.exchange =
        exposedSeconds(shape, slowdown, streamSeconds(work, path)) + work.hops * path.hop;
  }
  const double compute = time.forward + time.backward + time.update;
  time.bound = time.exchange > compute ? Bound::kExchange : Bound::kCompute;
  if (where.shared_cores == 0) return time;
  const double least =
      coreSeconds(shape, work, costs, where.is_emulated) / where.shared_cores + time.other;
  if (least > time.seconds()) {
    time.cores = least - time.seconds();
    time.bound = Bound::kCores;
  }
  return time;
}

}  // namespace sumac::planner
