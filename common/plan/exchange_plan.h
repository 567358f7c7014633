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

/// Values of part state in a whole job; zero for most networks.
struct PartStateSizes {
  std::int64_t recurrent = 0;   // of all samples of a mini-batch
  std::int64_t statistics = 0;  // of all parts
};

/// How the gradient is exchanged. The flat exchange vector holds all parameters' gradients in plan
/// order, the loss of the mini-batch, and the part state after the step: the recurrent state of
/// every sample, then the statistics of every part. A part contributes its own rows of the state
/// and zeros elsewhere, so that the sum over all parts is the whole state, as canonical as the
/// gradient.
struct ExchangePlan {
  std::int64_t parameters = 0;
  PartStateSizes state;
  std::int64_t values = 0;  // all of the above
  int parts = 1;            // V
  int servers = 1;
  std::vector<Range> ranges;  // in order, covering [0, values) without gaps

  std::int64_t lossAt() const { return parameters; }
  std::int64_t recurrentAt() const { return parameters + 1; }
  std::int64_t statisticsAt() const { return recurrentAt() + state.recurrent; }

  /// Values that server `index` owns.
  std::int64_t valuesOf(int server) const;
};

/// Cuts the vector into ranges and assigns them to servers. Ranges have at most 512 KiB; tensors
/// below 64 KiB are packed; small networks are cut finer to balance servers; part state has ranges
/// of its own. Ranges are assigned by bytes, largest first. Pure: every process computes the same
/// plan.
ExchangePlan makeExchangePlan(const model::Network& network, std::int64_t batch_size, int parts,
                              int servers);

/// The same from tensor sizes (in values) alone.
ExchangePlan makeExchangePlan(const std::vector<std::int64_t>& tensor_sizes, int parts, int servers,
                              PartStateSizes state = {});

}  // namespace sumac
