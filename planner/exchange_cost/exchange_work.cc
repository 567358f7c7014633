#include "planner/exchange_cost/exchange_work.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "common/base/check.h"

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

// Of many senders that share a link through a queue, how far the last is behind the mean.
constexpr double kUnevenness = 0.25;

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
  work.bytes = rounds * busiest;
  work.added_bytes = (shape.contributions * n - 1) * largest.added_bytes;
  work.all_hops = 2 * n * k;
  work.all_messages = rounds * n * k * piece.messages;
  work.all_bytes = rounds * n * shape.wire_bytes;
  work.all_added_bytes = (shape.contributions * n - 1) * shape.value_bytes;
  work.handled_messages = work.messages;
  work.handled_bytes = work.bytes;
  work.link_bytes = shape.contributions * busiest;
  const double uneven = kUnevenness * (1 - 1 / n);
  work.first_share =
      std::min(1.0, 1 / std::max(1.0, shape.contributions * largest.messages) + uneven);
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
  work.bytes = rounds * (n - 1) * piece.bytes * more;
  work.added_bytes = (shape.contributions * n - 1) * piece.added_bytes;
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
  SUMAC_CHECK(std::has_single_bit(static_cast<unsigned>(shape.workers)), shape.workers);
  ExchangeWork work;
  for (int group = 2; group <= shape.workers; group *= 2) {
    const Piece piece = pieceOf(shape, 1.0 / group);
    work.hops += 2;
    work.messages += 2 * piece.messages;
    work.bytes += 2 * piece.bytes;
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
  work.bytes = 2 * (n - 1) * piece.bytes;
  work.added_bytes = (n - 1) * piece.added_bytes;
  return work;
}

/// Hops that each of N workers causes.
double hopsOf(Sharing sharing, double workers, double hops) {
  // To the owners and direct it sends to all others at once.
  const bool is_spread = sharing == Sharing::kScatterGather || sharing == Sharing::kDirect;
  return is_spread ? hops * (workers - 1) : hops;
}

/// Of an exchange in which all workers do the same.
ExchangeWork ofOneWorker(const ExchangeShape& shape) {
  switch (shape.sharing) {
    case Sharing::kScatterGather: return toOwners(shape);
    case Sharing::kDirect: return direct(shape);
    case Sharing::kHalvingDoubling: return halving(shape);
    case Sharing::kRing: return ring(shape);
    case Sharing::kServers:
    case Sharing::kAuto: break;
  }
  SUMAC_CHECK(shape.sharing != Sharing::kAuto);
  return {};
}

/// Of workers that all do the same. What one sends another takes: it is counted once.
ExchangeWork ofEqualWorkers(const ExchangeShape& shape) {
  const double n = shape.workers;
  ExchangeShape even = shape;
  even.largest_share = 0;
  ExchangeWork work = ofOneWorker(shape);
  work.all_hops = n * hopsOf(shape.sharing, n, work.hops);
  work.handled_messages = 2 * work.messages;
  work.handled_bytes = 2 * work.bytes;
  work.link_bytes = work.bytes;
  work.all_messages = n * work.messages;
  work.all_bytes = n * ofOneWorker(even).bytes;
  work.all_added_bytes = n * work.added_bytes;
  return work;
}

/// The largest message: of the vector, or of the piece that a process has of it.
double largestMessage(const ExchangeShape& shape) {
  double pieces = shape.sharing == Sharing::kServers ? shape.servers : shape.workers;
  if (shape.sharing == Sharing::kDirect) pieces = 1;
  if (shape.sharing == Sharing::kHalvingDoubling) pieces = 2;
  return std::min(shape.message_bytes, shape.wire_bytes / pieces);
}

}  // namespace

ExchangeWork exchangeWork(const ExchangeShape& shape) {
  SUMAC_CHECK(shape.workers >= 1 && shape.servers >= 1, shape.workers, shape.servers);
  SUMAC_CHECK(shape.contributions >= 1 && shape.message_bytes > 0);
  const bool has_servers = shape.sharing == Sharing::kServers;
  if (!has_servers && shape.workers == 1) return {};
  ExchangeWork work = has_servers ? withServers(shape) : ofEqualWorkers(shape);
  work.message_bytes = largestMessage(shape);
  return work;
}

}  // namespace sumac::planner
