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

ExchangeWork withServers(const ExchangeShape& shape) {
  const double n = shape.workers;
  const double k = shape.servers;
  const double rounds = shape.contributions + 1;  // pushes of c nodes, and the sum back
  const Piece piece = pieceOf(shape, 1 / k);
  ExchangeWork work;
  work.hops = 2;
  work.messages = rounds * std::max(n, k) * piece.messages;
  work.bytes = rounds * std::max(n, k) * piece.bytes;
  work.added_bytes = (shape.contributions * n - 1) * piece.added_bytes;
  work.all_messages = rounds * n * k * piece.messages;
  work.all_bytes = rounds * n * k * piece.bytes;
  work.all_added_bytes = k * work.added_bytes;
  return work;
}

ExchangeWork toOwners(const ExchangeShape& shape) {
  const double n = shape.workers;
  const double rounds = shape.contributions + 1;
  const Piece piece = pieceOf(shape, 1 / n);
  ExchangeWork work;
  work.hops = 2;
  work.messages = rounds * (n - 1) * piece.messages;
  work.bytes = rounds * (n - 1) * piece.bytes;
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

/// Of workers that all do the same. What one sends another takes: it is counted once.
ExchangeWork ofEqualWorkers(ExchangeWork work, double workers) {
  work.all_messages = workers * work.messages;
  work.all_bytes = workers * work.bytes;
  work.all_added_bytes = workers * work.added_bytes;
  return work;
}

}  // namespace

ExchangeWork exchangeWork(const ExchangeShape& shape) {
  SUMAC_CHECK(shape.workers >= 1 && shape.servers >= 1, shape.workers, shape.servers);
  SUMAC_CHECK(shape.contributions >= 1 && shape.message_bytes > 0);
  if (shape.sharing == Sharing::kServers) return withServers(shape);
  if (shape.workers == 1) return {};
  const double n = shape.workers;
  switch (shape.sharing) {
    case Sharing::kScatterGather: return ofEqualWorkers(toOwners(shape), n);
    case Sharing::kDirect: return ofEqualWorkers(direct(shape), n);
    case Sharing::kHalvingDoubling: return ofEqualWorkers(halving(shape), n);
    case Sharing::kRing: return ofEqualWorkers(ring(shape), n);
    case Sharing::kServers:
    case Sharing::kAuto: break;
  }
  SUMAC_CHECK(shape.sharing != Sharing::kAuto);
  return {};
}

}  // namespace sumac::planner
