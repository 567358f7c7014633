#include "planner/exchange_cost/exchange_work.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/core/check.h"

namespace sumac::planner {
namespace {

/// What `share` of the vector is.
struct Piece {
  double messages;
  double bytes;
  double added_bytes;
};

Piece pieceOf(const ExchangeShape& shape, double share) {
  const double bytes = shape.wire_bytes * share;
  return {std::ceil(bytes / shape.message_bytes), bytes, shape.value_bytes * share};
}

/// How much larger a sum is than a contribution.
double growthOf(const ExchangeShape& shape) {
  return shape.sum_bytes > 0 ? shape.sum_bytes / shape.wire_bytes : 1;
}

/// Vectors that a worker sends to who sums and gets back, as large as a contribution.
double vectorsOf(const ExchangeShape& shape) {
  return shape.contributions + growthOf(shape);
}

/// Of senders that share a link and begin together, how much of what it carries is left to sum when
/// all has come: sums wait for the slowest, which has the link alone at the end.
///
/// Shares lie evenly between 1 - kSpread and 1 + kSpread of the mean, of which the smallest of n is
/// kSpread (n - 1) / (n + 1) below it. The spread is that of TCP's windows, as ss shows them while
/// four and eight workers push to a server at 1 Gbit/s (BBR): standard deviations of 0.31 and 0.47
/// of the mean, times the root of 3, and their mean.
double unevenness(double senders) {
  constexpr double kSpread = 0.68;
  return kSpread * (senders - 1) / (senders + 1) * (1 - 1 / senders);
}

/// Of one of `sharers`.
double largestShare(const ExchangeShape& shape, double sharers) {
  return std::max(shape.largest_share, 1 / sharers);
}

ExchangeWork withServers(const ExchangeShape& shape) {
  const double n = shape.workers;
  const double k = shape.servers;
  const double rounds = shape.contributions + 1;  // pushes of c nodes, and the sum back
  const Piece piece = pieceOf(shape, 1 / k);
  const Piece largest = pieceOf(shape, largestShare(shape, k));
  const double busiest = std::max(n * largest.bytes, shape.wire_bytes);  // a server or a worker
  ExchangeWork work;
  work.hops = 2;
  work.messages = rounds * std::max(n * largest.messages, k * piece.messages);
  work.bytes = vectorsOf(shape) * busiest;
  work.added_bytes = (shape.contributions * n - 1) * largest.added_bytes;
  work.all_hops = 2 * n * k;
  work.all_messages = rounds * n * k * piece.messages;
  work.all_bytes = vectorsOf(shape) * n * shape.wire_bytes;
  work.all_added_bytes = (shape.contributions * n - 1) * shape.value_bytes;
  work.handled_messages = work.messages;
  work.handled_bytes = work.bytes;
  work.pushed_bytes = shape.contributions * busiest;
  work.link_bytes = std::max(work.pushed_bytes, growthOf(shape) * busiest);
  const double first = 1 / std::max(1.0, shape.contributions * largest.messages);
  // No more than all sums, which are one of as many vectors as there are contributions.
  work.left_share = growthOf(shape) * std::min(1 / shape.contributions, first + unevenness(n));
  return work;
}

/// The busiest owner gets the others' contributions to its ranges, and their sums of the rest.
ExchangeWork toOwners(const ExchangeShape& shape) {
  const double n = shape.workers;
  const double rounds = shape.contributions + 1;
  const Piece piece = pieceOf(shape, 1 / n);
  const double share = largestShare(shape, n);
  const double more = ((n - 1) * share + 1 - share) / (2 * (n - 1) / n);  // than with even shares
  ExchangeWork work;
  work.hops = 2;
  work.messages = rounds * (n - 1) * piece.messages;
  work.bytes = vectorsOf(shape) * (n - 1) * piece.bytes * more;
  work.added_bytes = (shape.contributions * n - 1) * piece.added_bytes;
  if (n > 2) {
    work.pushed_bytes = shape.contributions * (n - 1) * share * shape.wire_bytes;
    work.left_share = growthOf(shape) / shape.contributions;
  }
  return work;
}

ExchangeWork direct(const ExchangeShape& shape) {
  const double n = shape.workers;
  const Piece piece = pieceOf(shape, 1);
  ExchangeWork work;
  work.hops = 1;
  work.messages = shape.contributions * (n - 1) * piece.messages;
  work.bytes = shape.contributions * (n - 1) * piece.bytes;
  work.added_bytes = (shape.contributions * n - 1) * piece.added_bytes;
  return work;
}

ExchangeWork halving(const ExchangeShape& shape) {
  ExchangeWork work;
  for (int group = 2; group <= shape.workers; group *= 2) {
    const Piece piece = pieceOf(shape, 1.0 / group);
    work.hops += 2;
    work.messages += 2 * piece.messages;
    work.bytes += (1 + growthOf(shape)) * piece.bytes;
    work.added_bytes += piece.added_bytes;
  }
  return work;
}

ExchangeWork ring(const ExchangeShape& shape) {
  const double n = shape.workers;
  const Piece piece = pieceOf(shape, 1 / n);
  ExchangeWork work;
  work.hops = 2 * (n - 1);
  work.messages = 2 * (n - 1) * piece.messages;
  work.bytes = (1 + growthOf(shape)) * (n - 1) * piece.bytes;
  work.added_bytes = (n - 1) * piece.added_bytes;
  return work;
}

/// Hops that each of N workers causes.
double hopsOf(ExchangeMethod method, double workers, double hops) {
  // To the owners and direct it sends to all others at once.
  const bool is_spread = isByOwners(method) || method == ExchangeMethod::kDirect;
  return is_spread ? hops * (workers - 1) : hops;
}

/// Of an exchange in which all workers do the same.
ExchangeWork ofOneWorker(const ExchangeShape& shape) {
  switch (shape.method) {
    case ExchangeMethod::kDecentralized:
    case ExchangeMethod::kScatterGather: return toOwners(shape);
    case ExchangeMethod::kDirect: return direct(shape);
    case ExchangeMethod::kHalvingDoubling: return halving(shape);
    case ExchangeMethod::kRing: return ring(shape);
    case ExchangeMethod::kServers: break;
  }
  return {};
}

/// Of workers that all do the same. What one sends another takes: it is counted once.
ExchangeWork ofEqualWorkers(const ExchangeShape& shape) {
  const double n = shape.workers;
  ExchangeShape even = shape;
  even.largest_share = 0;
  ExchangeWork work = ofOneWorker(shape);
  work.all_hops = n * hopsOf(shape.method, n, work.hops);
  work.handled_messages = 2 * work.messages;
  work.handled_bytes = 2 * work.bytes;
  work.link_bytes = work.bytes;
  if (work.pushed_bytes == 0) work.pushed_bytes = work.bytes;
  work.all_messages = n * work.messages;
  work.all_bytes = n * ofOneWorker(even).bytes;
  work.all_added_bytes = n * work.added_bytes;
  return work;
}

/// The largest message: of the vector, or of the piece that a process has of it.
double largestMessage(const ExchangeShape& shape) {
  double pieces = shape.method == ExchangeMethod::kServers ? shape.servers : shape.workers;
  if (shape.method == ExchangeMethod::kDirect) pieces = 1;
  if (shape.method == ExchangeMethod::kHalvingDoubling) pieces = 2;
  return std::min(shape.message_bytes, shape.wire_bytes / pieces);
}

}  // namespace

ExchangeWork exchangeWork(const ExchangeShape& shape) {
  SUMAC_CHECK(shape.workers >= 1 && shape.servers >= 1, shape.workers, shape.servers);
  SUMAC_CHECK(shape.contributions >= 1 && shape.message_bytes > 0);
  const bool is_halved = std::has_single_bit(static_cast<unsigned>(shape.workers));
  if (shape.method == ExchangeMethod::kHalvingDoubling && !is_halved) {
    ExchangeShape owned = shape;  // as the members do
    owned.method = ExchangeMethod::kScatterGather;
    return exchangeWork(owned);
  }
  const bool has_servers = shape.method == ExchangeMethod::kServers;
  if (!has_servers && shape.workers == 1) return {};
  ExchangeWork work = has_servers ? withServers(shape) : ofEqualWorkers(shape);
  work.message_bytes = largestMessage(shape);
  return work;
}

}  // namespace sumac::planner
