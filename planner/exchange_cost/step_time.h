#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "common/membership/algorithm.h"
#include "planner/exchange_cost/exchange_work.h"

namespace sumac::planner {

/// A piece of the gradient that becomes final as a whole.
struct GradientPiece {
  double seconds = 0;  // of the backward pass, since the piece before
  double share = 0;    // of the vector's bytes

  bool operator==(const GradientPiece&) const = default;
};

/// What a worker computes in a step, in seconds, when nothing disturbs it.
struct StepCompute {
  double forward_seconds = 0;
  std::vector<GradientPiece> backward;  // in the order in which they become final
  double rest_seconds = 0;              // of the backward pass, after the last piece
  double update_seconds = 0;
  int threads = 1;

  double backwardSeconds() const;
};

/// A step of a synchronous job.
struct StepShape {
  ExchangeShape exchange;
  StepCompute compute;
};

/// What a step costs besides computing: the numbers that are measured or fitted.
struct StepCosts {
  double step = 0;         // seconds of every step that nothing below counts
  ExchangeCosts exchange;  // as `algorithm: auto` has them

  bool operator==(const StepCosts&) const = default;
};

/// Where the members run.
struct Surroundings {
  double link_bytes_per_second = 0;  // of each member's link, each way; 0: not limited
  int shared_cores = 0;              // that all members share; 0: each has enough of its own
  bool is_emulated = false;          // workers wait instead of computing
};

/// What a step waits for most.
enum class Bound : std::uint8_t { kCompute, kExchange, kCores };

std::string_view toString(Bound bound);

/// A predicted step, in seconds.
struct StepTime {
  double forward = 0;
  double backward = 0;
  double exchange = 0;  // what of it is not hidden behind the backward pass
  double update = 0;
  double other = 0;  // StepCosts::step
  double cores = 0;  // beyond all these: cores that are shared had more to do
  Bound bound = Bound::kCompute;

  double seconds() const { return forward + backward + exchange + update + other + cores; }
};

/// The step's time. Pieces are gathered until they are worth a message (kBucketBytes), then sent
/// one after the other while the backward pass goes on. So of an exchange that takes C beyond its
/// hops, and a last bucket that takes c,
///
///   exposed = max over buckets j of (ready_j + the time of j and those after it) - backward + hops
///   c + hops <= exposed <= C + hops
///
/// (Das et al. 2016, 5.3, of one step). The vector of less than a bucket is sent when it is whole.
/// Where members share C cores, N workers of `threads` threads compute max(1, N threads / C) times
/// as long, and no step is shorter than all its work divided by C. Workers that only wait take no
/// core.
///
/// A byte costs the larger of ExchangeCosts::byte and one through the link. Requires shapes as
/// exchangeWork().
StepTime stepTime(const StepShape& shape, const StepCosts& costs, const Surroundings& where);

/// Of FinalRanges (worker/train): of so many bytes a message is sent before the gradient is whole.
inline constexpr double kBucketBytes = 256.0 * 1024;

/// The exchange alone, in seconds.
double exchangeSeconds(const ExchangeWork& work, const ExchangeCosts& costs);

}  // namespace sumac::planner
