#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/model/network.h"

namespace sumac {

/// A contiguous piece of the flat exchange vector: of one tensor, or of packed small ones.
struct Range {
  std::uint32_t id = 0;  // its index in ExchangePlan::ranges
  std::int64_t first = 0;
  std::int64_t count = 0;
  int owner = 0;  // index of the server that sums it

  bool operator==(const Range&) const = default;
};

/// How the gradient travels. The flat exchange vector holds all parameters' gradients in plan order
/// and then the tail: one value, the loss of the mini-batch, so that the sum of losses is as
/// canonical as the gradient.
struct ExchangePlan {
  std::int64_t parameters = 0;
  std::int64_t values = 0;  // parameters + kTail
  int parts = 1;            // V
  int servers = 1;
  std::vector<Range> ranges;  // in order, covering [0, values) without gaps

  static constexpr std::int64_t kTail = 1;

  /// Values that server `index` owns.
  std::int64_t valuesOf(int server) const;
};

/// Cuts and distributes. Ranges hold at most 512 KiB, tensors below 64 KiB are packed, small
/// networks are cut finer so that servers can be balanced; ranges go to servers by bytes, largest
/// first. Pure: every process computes the same plan.
ExchangePlan makeExchangePlan(const model::Network& network, int parts, int servers);

/// The same from tensor sizes alone (values), for tables.
ExchangePlan makeExchangePlan(const std::vector<std::int64_t>& tensor_sizes, int parts,
                              int servers);

}  // namespace sumac
