#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "exchange/membership/method_choice.h"
#include "planner/exchange_cost/exchange_work.h"

namespace sumac::planner {

/// As in FinalRanges (worker/train): where compute threads take all cores, and where one is spare.
inline constexpr double kBucketBytes = 256.0 * 1024;
inline constexpr double kBucketBytesBeside = 64.0 * 1024;

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
  /// How many times as long all of this takes where workers compute on all cores of the machine.
  double crowded = 1;
  /// Of FinalRanges (worker/train): of so many bytes a message is sent before the gradient is
  /// whole.
  double bucket_bytes = kBucketBytes;

  double backwardSeconds() const;
  /// The same by processors that take `factor` times as long.
  StepCompute slowedDown(double factor) const;
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
  double far_byte = 0;     // what a byte costs more where the vector is larger than kNearBytes
  /// What computing takes longer in a job than profiled, as a share of it, even where a worker is
  /// alone: samples come from another thread, and what is updated goes through the caches.
  double crowding = 0;
  /// What moving and adding a byte takes in a job, times what these costs say: who computes has
  /// taken it out of the caches. Of shared cores.
  double exchange_factor = 1;

  bool operator==(const StepCosts&) const = default;
};

/// Of a vector, what stays in a core's cache between one end of an exchange and the other.
inline constexpr double kNearBytes = 1024.0 * 1024;

/// Where the members run.
struct Surroundings {
  double link_bytes_per_second = 0;  // of each member's link, each way; 0: not limited
  int shared_cores = 0;              // that all members share; 0: each has enough of its own
  bool is_emulated = false;          // workers wait instead of computing
  double link_burst_bytes = 0;       // that a link lets through at once after a pause
};

/// What emulated workers wait longer than they are to, in the three waits of a step: 35 us for the
/// gradient, 25 for sums and 20 for the update, as the phases of LeNet-5's results have it beside
/// their step-times, and beside those of a worker that stays awake. To sleep and to be woken takes
/// that long where cores halt (base/core/brief_watch.h).
inline constexpr double kLateWaits = 80e-6;

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

/// The step's time. Pieces are gathered until they are worth a message (StepCompute::bucket_bytes),
/// then sent one after the other while the backward pass goes on; a vector of less than two buckets
/// is sent when it is whole. An exchange streams for C seconds in all, and ends with a tail of t
/// that nothing hides. So, where a last bucket takes c,
///
///   exposed = max over buckets j of (ready_j + the time of j and those after it) - backward + t
///   c + t <= exposed <= C + t
///
/// (Das et al. 2016, 5.3, of one step). C and t are the largest of three:
///
///   one process's work   the messages and bytes that it handles, and its additions, one after the
///                        other. A byte's cost is that of both ends: a process has half of it.
///                        t: the hops, which pass on a message as a whole
///   all cores' work      where members share cores: all of it, divided by the cores. A hop takes a
///                        core, too
///   the link's           contributions, with the headers of their frames, less a burst. t: what of
///                        the sums is left to send when the last of these has come
///
/// and no step is shorter than the link needs for all that goes its way, burst or not. All compute
/// StepCosts::crowding longer than profiled. Where members share C cores, N workers of `threads`
/// threads compute max(1, N threads / C) times as long; no step is shorter than all its work
/// divided by C. Workers that only wait take no core; they wait as long as one worker computes that
/// has all cores, and kLateWaits longer.
///
/// Requires shapes as exchangeWork().
StepTime stepTime(const StepShape& shape, const StepCosts& costs, const Surroundings& where);

/// A step's time where one worker computes `times` times as long as the busiest one does, which
/// stepTime() is of. All wait for it, and exchange then. On links to servers that have a limit the
/// others' contributions have gone by then: what is left are its own and the sums, each less a
/// burst, and it is no delay as long as others still send.
///
/// Requires times >= 1.
double lateStepSeconds(const StepShape& shape, const StepCosts& costs, const Surroundings& where,
                       double times);

/// The bytes on a link for each byte of a message: TCP, IP and Ethernet add 66 to 1,448, and what
/// is acknowledged the other way is counted there.
inline constexpr double kFrameOverhead = 1.048;

/// The exchange alone, in seconds, by the textbooks' formulas: both ends of a message take turns.
double exchangeSeconds(const ExchangeWork& work, const ExchangeCosts& costs);

}  // namespace sumac::planner
