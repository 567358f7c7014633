#include "planner/exchange_cost/step_time.h"

#include <algorithm>
#include <limits>

namespace sumac::planner {
namespace {

/// What so much work takes beyond its hops, where both ends of a message take turns.
double streamSeconds(const ExchangeWork& work, const ExchangeCosts& costs) {
  return work.messages * costs.message + work.bytes * costs.byte + work.added_bytes * costs.add;
}

/// The gradient as it is sent: pieces of at least a bucket, the last one of what is left.
std::vector<GradientPiece> bucketsOf(const StepShape& shape) {
  const double bytes = shape.exchange.value_bytes;
  const bool is_whole = bytes < 2 * shape.compute.bucket_bytes;
  std::vector<GradientPiece> buckets;
  GradientPiece open;
  for (const GradientPiece& piece : shape.compute.backward) {
    open.seconds += piece.seconds;
    open.share += piece.share;
    if (is_whole || open.share * bytes < shape.compute.bucket_bytes) continue;
    buckets.push_back(open);
    open = {};
  }
  if (is_whole) open.seconds += shape.compute.rest_seconds;
  if (open.share > 0 || buckets.empty()) buckets.push_back(open);
  return buckets;
}

/// How long the exchange goes on after the backward pass has ended, where that is `slowdown` times
/// as long and the exchange takes `stream` for all bytes.
double exposedSeconds(const StepShape& shape, double slowdown, double stream) {
  if (shape.compute.backward.empty()) return stream;  // nothing is final before the end
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
  return std::max(0.0, finished - end);
}

/// What an exchange takes: as long as something is sent, and after that.
struct Transfer {
  double stream = 0;
  double tail = 0;

  double seconds() const { return stream + tail; }
};

Transfer longer(const Transfer& a, const Transfer& b) {
  return a.seconds() >= b.seconds() ? a : b;
}

/// Of members on so many cores: the busiest process's work, or that of all.
Transfer onCores(const ExchangeWork& work, const ExchangeCosts& costs, double cores) {
  const auto bothEnds = [&costs](double messages, double bytes) {
    return messages * costs.message + bytes * costs.byte;
  };
  const double process = bothEnds(work.handled_messages, work.handled_bytes) / 2;
  const double all = bothEnds(work.all_messages, work.all_bytes) + work.all_added_bytes * costs.add;
  const double hops = std::max(work.hops, work.all_hops / cores);
  return {std::max(process + work.added_bytes * costs.add, all / cores),
          hops * costs.hop + work.hops * bothEnds(1, work.message_bytes) / 2};
}

/// Through the busiest link.
Transfer throughLink(const ExchangeWork& work, const Surroundings& where) {
  const double frames = work.pushed_bytes * kFrameOverhead;
  const double burst = std::min(where.link_burst_bytes, frames);
  const double seconds = (frames - burst) / where.link_bytes_per_second;
  return {seconds, work.left_share * seconds};
}

Transfer transferOf(const ExchangeWork& work, const ExchangeCosts& costs,
                    const Surroundings& where) {
  // On machines of their own nobody waits for a core of another member.
  const double cores =
      where.shared_cores > 0 ? where.shared_cores : std::numeric_limits<double>::infinity();
  const Transfer transfer = onCores(work, costs, cores);
  if (where.link_bytes_per_second <= 0) return transfer;
  Transfer link = throughLink(work, where);
  link.tail += work.hops * costs.hop;
  return longer(transfer, link);
}

/// The costs for a vector of that size: a byte's is the mean over all of it.
ExchangeCosts costsFor(const StepCosts& costs, const ExchangeShape& shape,
                       const Surroundings& where) {
  ExchangeCosts exchange = costs.exchange;
  const double far = shape.value_bytes - kNearBytes;
  if (far > 0) exchange.byte += costs.far_byte * far / shape.value_bytes;
  if (where.shared_cores == 0) return exchange;
  for (double* const cost : {&exchange.byte, &exchange.add})
    *cost *= costs.exchange_factor;
  return exchange;
}

/// All cores' work in a step, in seconds of one core.
double coreSeconds(const StepShape& shape, const ExchangeWork& work, const ExchangeCosts& costs,
                   double computing) {
  const ExchangeWork all{
      .messages = work.all_messages, .bytes = work.all_bytes, .added_bytes = work.all_added_bytes};
  return shape.exchange.workers * shape.compute.threads * computing + streamSeconds(all, costs);
}

/// How many times as long as profiled workers compute, where each has a core for each thread.
double crowdedTimes(const StepShape& shape, const StepCosts& costs, const Surroundings& where) {
  const double alone = shape.compute.threads;
  const double computing = std::min<double>(shape.exchange.workers * alone, where.shared_cores);
  const double others = computing > alone ? (computing - alone) / (where.shared_cores - alone) : 0;
  return (1 + costs.crowding) * (1 + others * (shape.compute.crowded - 1));
}

/// How many times as long as profiled workers compute.
double slowdownOf(const StepShape& shape, const StepCosts& costs, const Surroundings& where) {
  if (where.is_emulated) return 1;
  if (where.shared_cores == 0) return 1 + costs.crowding;
  const double computing = static_cast<double>(shape.exchange.workers) * shape.compute.threads;
  return std::max(1.0, computing / where.shared_cores) * crowdedTimes(shape, costs, where);
}

/// Beyond `time`: what the link needs for all that goes its way, step after step.
double linkSeconds(const ExchangeWork& work, const Surroundings& where, const StepTime& time) {
  if (where.link_bytes_per_second <= 0) return 0;
  const double least = work.link_bytes * kFrameOverhead / where.link_bytes_per_second;
  return std::max(0.0, least - time.seconds());
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

StepCompute StepCompute::slowedDown(double factor) const {
  StepCompute slow = *this;
  slow.forward_seconds *= factor;
  for (GradientPiece& piece : slow.backward)
    piece.seconds *= factor;
  slow.rest_seconds *= factor;
  slow.update_seconds *= factor;
  return slow;
}

double exchangeSeconds(const ExchangeWork& work, const ExchangeCosts& costs) {
  return work.hops * costs.hop + streamSeconds(work, costs);
}

StepTime stepTime(const StepShape& shape, const StepCosts& costs, const Surroundings& where) {
  const ExchangeWork work = exchangeWork(shape.exchange);
  const ExchangeCosts exchange = costsFor(costs, shape.exchange, where);
  const double slowdown = slowdownOf(shape, costs, where);
  StepTime time;
  time.forward = slowdown * shape.compute.forward_seconds;
  time.backward = slowdown * shape.compute.backwardSeconds();
  time.update = slowdown * shape.compute.update_seconds;
  time.other = costs.step + (where.is_emulated ? kLateWaits : 0);
  if (work.hops > 0) {
    const Transfer transfer = transferOf(work, exchange, where);
    time.exchange = exposedSeconds(shape, slowdown, transfer.stream) + transfer.tail;
    time.exchange += linkSeconds(work, where, time);
  }
  const double compute = time.forward + time.backward + time.update;
  time.bound = time.exchange > compute ? Bound::kExchange : Bound::kCompute;
  if (where.shared_cores == 0) return time;
  const double computing =
      where.is_emulated ? 0 : crowdedTimes(shape, costs, where) * compute / slowdown;
  const double least =
      coreSeconds(shape, work, exchange, computing) / where.shared_cores + time.other;
  if (least > time.seconds()) {
    time.cores = least - time.seconds();
    time.bound = Bound::kCores;
  }
  return time;
}

double lateStepSeconds(const StepShape& shape, const StepCosts& costs, const Surroundings& where,
                       double times) {
  const StepTime usual = stepTime(shape, costs, where);
  const double computing = usual.forward + usual.backward + usual.update;
  const double behind = usual.seconds() + (times - 1) * computing;
  const ExchangeShape& exchange = shape.exchange;
  if (exchange.method != ExchangeMethod::kServers || where.link_bytes_per_second <= 0)
    return behind;
  ExchangeShape alone = exchange;
  alone.workers = 1;
  const double own = throughLink(exchangeWork(alone), where).stream;
  ExchangeWork sums = exchangeWork(exchange);
  sums.pushed_bytes /= exchange.contributions;
  if (exchange.sum_bytes > 0) sums.pushed_bytes *= exchange.sum_bytes / exchange.wire_bytes;
  const double left = own + throughLink(sums, where).stream;
  return std::clamp(times * computing + usual.other + left, usual.seconds(), behind);
}

}  // namespace sumac::planner
