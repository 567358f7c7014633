#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/core/exit_code.h"
#include "exchange/coordinator/admission.h"
#include "exchange/coordinator/wait_limits.h"
#include "exchange/membership/shard_map.h"
#include "exchange/plan/exchange_plan.h"
#include "tests/integration/simulation/sim_network.h"

namespace sumac {

/// Each is another way through the code; what kAuto stands for is one of them.
inline constexpr std::array kSimMethods{ExchangeMethod::kServers, ExchangeMethod::kScatterGather,
                                        ExchangeMethod::kDirect, ExchangeMethod::kHalvingDoubling,
                                        ExchangeMethod::kRing};
inline ExchangeMethod simMethod(std::uint64_t number) {
  return kSimMethods.at(number % kSimMethods.size());
}

struct SimOptions {
  int workers = 2;
  int servers = 1;  // 0 unless `method` is kServers
  std::optional<ExchangeMethod> method = ExchangeMethod::kServers;
  Codec codec = Codec::kFp32;
  bool has_rare_rows = false;  // most of the first tensor's gradient is zero
  int parts = 4;
  Step steps = 12;
  std::uint64_t seed = 1;
  std::vector<std::int64_t> tensors = {2400, 16, 3000, 10};
  std::optional<Cutting> cutting{};  // instead of what the next two say
  std::int64_t largest_range = 0;    // values; 0: about an eighth of the vector
  std::int64_t longest_run = 0;      // values of a message of several ranges; 0: one range
  std::uint32_t credit = link::LaneEnd::kCredit;  // of data lanes
  std::optional<std::int64_t> break_every_us{};   // on average; none: no connection breaks
  std::optional<link::Lane> break_lane{};         // none: any
  SimFaults faults{};
  std::map<Slot, std::string> plan_text{};  // of members whose text is another
  // Words of the data of each worker, which servers do not read: as many values more are exchanged.
  std::int64_t size = 0;
  std::map<int, std::int64_t> other_size{};  // of workers whose data is another
  std::optional<int> diverges{};             // the worker whose weights go wrong
  Step diverges_in = 4;                      // after this step
  std::optional<int> fails{};                // the worker whose loss is not finite
  Step fails_in = 4;                         // in this step
  std::optional<int> hangs{};                // the worker whose trainer does nothing from step 6 on
  Step checkpoint_every = 0;                 // steps; 0: not by steps
  Duration checkpoint_interval{};            // 0: not by time
  Step steps_per_epoch = 4;
  std::map<int, std::uint64_t> add_rates{};  // that workers say they have
  std::string algorithm{};                   // that their checkpoints say was chosen
  std::map<int, Duration> slow{};            // how much longer each step of a worker takes
  std::optional<Duration> evaluation{};      // how long each takes, which nothing breaks off
  WaitLimits limits{};
  std::optional<MostMembers> most{};  // where members may change
  // Each process has an endpoint of its own, as a pod has; else another one of its slot has the
  // same, as a process on one machine. That of slot 0 is known to all either way.
  bool has_addresses = false;
  bool is_operated = false;  // somebody else starts the processes, and starts them again
  std::set<int> plain{};     // workers with the slowest kernels alone: of others the bits differ
  Duration state_time{};     // how much longer a message of a state is under way
  bool slips = false;        // once, memory that a state is sent from
  // How long a trainer takes at most until others may read its state: it takes leave of its buffers
  // before.
  std::int64_t offers_within_us = 50;
  // How many workers who restarts members tells them to wait for: some of those that the job began
  // with; 0: all that there are.
  int named = 0;
  // All control connections break as a roster is sent: members say again what they have said.
  bool breaks_at_rosters = false;

  /// Set `workers`, `parts` and `servers` before: only kServers keeps the latter, and halving needs
  /// a power of two, the next one if the parts allow.
  void sumBy(std::optional<ExchangeMethod> how) {
    method = how;
    if (how == ExchangeMethod::kHalvingDoubling) {
      const auto next = static_cast<int>(std::bit_ceil(static_cast<unsigned>(workers)));
      workers = next <= parts ? next : next / 2;
    }
    if (how != ExchangeMethod::kServers) servers = 0;
  }
  /// Whether trainers send what is final while they compute, and leave steps open. Both occur.
  bool overlaps() const { return seed % 3 != 0; }
  /// Whether messages or connections suffer.
  bool isHarmed() const {
    return faults.loss > 0 || faults.flip > 0 || faults.duplication > 0 || break_every_us ||
           breaks_at_rosters;
  }
  /// How many sum, and who: servers, or the workers.
  int sums() const { return servers > 0 ? servers : workers; }
  Slot sum(int index) const { return {servers > 0 ? Role::kServer : Role::kWorker, index}; }
  int processes() const { return workers + servers; }
};

/// The slot that coordinates.
inline Slot simCoordinator(const SimOptions& options) {
  return options.sum(0);
}

/// How one member ended.
struct SimEnd {
  ExitCode code = ExitCode::kDone;
  std::string reason;
};

/// What goes from step to step.
struct SimState {
  std::vector<float> weights;
  std::vector<float> velocity;

  void swap(SimState& other) {
    weights.swap(other.weights);
    velocity.swap(other.velocity);
  }
  void assign(std::size_t size, float value) {
    weights.assign(size, value);
    velocity.assign(size, value);
  }
};

/// What a job's members have left behind.
struct SimFiles {
  /// Who wrote last, and by which roster: it keeps out whoever follows an older one, as
  /// exchange/course/writer_fence.h does.
  struct Writer {
    RosterOrder order;
    Member member;
  };
  std::optional<Writer> writer;
  std::optional<Step> checkpoint;   // the newest complete one
  std::string kernels;              // that computed it
  std::map<Step, SimState> states;  // in each: somebody may have seen an older one as the newest
  std::optional<std::string> result;
};

ExchangePlan simPlan(const SimOptions& options, std::int64_t size);
std::vector<float> simFirstWeights(std::int64_t parameters);
/// The gradient of one part, and the loss as the last value: depends on every bit of the weights.
std::vector<float> simGradient(const SimOptions& options, const std::vector<float>& weights,
                               Step step, int part);
/// The sum over [begin, end), as one worker computes it. This and what follows is written apart
/// from exchange/plan, so that an error there shows.
std::vector<float> simSum(const SimOptions& options, const std::vector<float>& weights, Step step,
                          int begin, int end);
SimState simFirstState(std::int64_t parameters);
/// Of the values [first, end), as these kernels compute it: others have other bits.
void simUpdate(const SimState& state, std::span<const float> sum, std::size_t first,
               std::size_t end, const std::string& kernels, SimState& next);
/// What workers compute with that all have.
inline constexpr const char* kSimKernels = "avx2";
inline constexpr const char* kSimPlainKernels = "baseline";
/// After `step`, of the state before it; of a single process.
SimState simNext(const SimOptions& options, const SimState& before, Step step,
                 const std::string& kernels);
/// One process, no network: what every job must end with.
std::vector<float> simReference(const SimOptions& options, Step steps);

}  // namespace sumac
