#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/core/codec.h"
#include "base/core/result.h"
#include "job/model/network.h"

namespace sumac {

/// A contiguous piece of the flat exchange vector: of one tensor, or of packed small ones.
struct Range {
  std::uint32_t id = 0;  // its index in ExchangePlan::ranges
  std::int64_t first = 0;
  std::int64_t count = 0;

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
/// gradient. Where the noise scale is estimated, the squared norm of the part's gradient is last.
struct ExchangePlan {
  std::int64_t parameters = 0;
  PartStateSizes state;
  std::int64_t squares = 0;      // 1: a part's squared norm; 0: there is none
  std::int64_t values = 0;       // all of the above
  int parts = 1;                 // V
  std::int64_t embedding = 0;    // so many values come first, of rows of which many do not occur
  Codec codec = Codec::kFp32;    // of the gradient in messages
  std::int64_t longest_run = 1;  // values of a message of several ranges, at most (range_run.h)
  std::vector<Range> ranges;     // in order, covering [0, values) without gaps

  std::int64_t lossAt() const { return parameters; }
  std::int64_t recurrentAt() const { return parameters + 1; }
  std::int64_t statisticsAt() const { return recurrentAt() + state.recurrent; }
  std::int64_t squaresAt() const { return statisticsAt() + state.statistics; }
  /// The range of a value. Requires one within [0, values).
  std::uint32_t rangeAt(std::int64_t value) const;
};

/// How fine the vector is cut. Tests cut few values into many ranges.
struct Cutting {
  std::int64_t pieces = 32;             // a range is about this part of the vector,
  std::int64_t smallest = 1024;         // but not below 4 KiB
  std::int64_t largest = 128LL * 1024;  // nor above 512 KiB
  // Fewer messages cost less; of more, some are summed while others are under way.
  std::int64_t run_pieces = 8;              // a message is about this part of the vector,
  std::int64_t smallest_run = 16LL * 1024;  // but not below 64 KiB
};

/// Cuts the vector into ranges. Small tensors are packed; part state has ranges of its own. Pure,
/// and independent of who sums what: every process computes the same plan, however the members
/// change (membership/shard_map.h).
ExchangePlan makeExchangePlan(const model::Network& network, std::int64_t batch_size, int parts);

/// The same from tensor sizes (in values) alone.
ExchangePlan makeExchangePlan(const std::vector<std::int64_t>& tensor_sizes, int parts,
                              PartStateSizes state = {}, const Cutting& cutting = {});

/// Adds the squared norm of a part's gradient to a plan that has none, in a range of its own: all
/// other values keep their ranges.
void addSquares(ExchangePlan& plan);

}  // namespace sumac
