#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/session/session.h"
#include "tests/support/sim_link.h"
#include "worker/session/session.h"

namespace sumac {

struct SimOptions {
  int workers = 2;
  int servers = 1;
  int parts = 4;
  Step steps = 12;
  std::uint64_t seed = 1;
  std::vector<std::int64_t> tensors = {2400, 16, 3000, 10};
  Cutting cutting{.pieces = 8, .smallest = 64, .run_pieces = 6, .smallest_run = 64};
  std::optional<std::int64_t> break_every_us;  // on average; none: no connection breaks
  std::optional<link::Lane> break_lane;        // none: any
  SimFaults faults;
  std::map<Slot, std::string> plan_text;  // of members whose text is another
  // Words of the data of each worker, which servers do not read: as many values more are exchanged.
  int vocabulary = 0;
  std::map<int, int> other_vocabulary;  // of workers whose data is another
  std::optional<int> diverges;          // the worker whose weights go wrong
  Step diverges_in = 4;                 // after this step
  std::optional<int> hangs;             // the worker whose trainer does nothing from step 6 on
  Step checkpoint_every = 0;            // steps; 0: only at the end and when stopped
  std::map<int, Duration> slow;         // how much longer each step of a worker takes
};

/// How one member ended.
struct SimEnd {
  ExitCode code = ExitCode::kDone;
  std::string reason;
};

/// A whole job on a SimNetwork with trainers whose gradients depend on every bit of the weights.
class SimJob {
 public:
  explicit SimJob(const SimOptions& options);
  ~SimJob();

  SimNetwork& network() { return network_; }
  worker::Session& worker(int index);
  server::Session& server(int index);
  /// Runs until everyone alive has ended or two minutes of virtual time have passed.
  void run();

  const std::map<Slot, SimEnd>& ends() const { return ends_; }
  const std::vector<float>& weights(int worker) const;
  Step lastStep(int worker) const;
  std::optional<Step> checkpoint() const { return checkpoint_; }
  const std::vector<std::string>& progress() const { return progress_; }
  std::uint32_t highestGeneration() const { return generation_; }

 private:
  class WorkerProcess;
  class ServerProcess;
  void tick(Slot slot);
  void beat(Slot slot);
  void breakSometimes();

  SimOptions options_;
  SimNetwork network_;
  ExchangePlan plan_;
  std::vector<std::unique_ptr<WorkerProcess>> workers_;
  std::vector<std::unique_ptr<ServerProcess>> servers_;
  std::map<Slot, SimEnd> ends_;
  std::vector<std::string> progress_;
  std::optional<Step> checkpoint_;
  std::uint32_t generation_ = 0;
};

/// The gradient of one part, and the loss as the last value.
std::vector<float> simGradient(const std::vector<float>& weights, Step step, int part);
/// One process, no network: what every job must end with.
std::vector<float> simReference(const SimOptions& options, Step steps);

}  // namespace sumac
