#include "tests/integration/simulation/sim_job.h"

#include <algorithm>

namespace sumac {
namespace {

constexpr Duration kLinger = std::chrono::milliseconds(50);  // what was sent still leaves

}  // namespace

SimJob::SimJob(const SimOptions& options)
    : options_(options), network_(options.seed, options.credit) {
  for (int i = 0; i < options.servers; ++i) {
    servers_.push_back(std::make_unique<SimServer>(
        i, options_, network_, [this](Slot slot, const SimEnd& end) { onEnd(slot, end); }));
    network_.after(Slot{Role::kServer, i}, network_.between(0, 100'000),
                   [this, i] { serverAt(i).start(); });
  }
  for (int i = 0; i < options.workers; ++i)
    addWorker();
  network_.harm(options.faults);
  if (options.break_every_us) breakSometimes();
}

void SimJob::onEnd(Slot slot, const SimEnd& end) {
  ends_[slot] = end;
  network_.after(kLinger, [this, slot] { network_.kill(slot); });
}

void SimJob::addWorker() {
  const int index = workers();
  workers_.push_back(
      std::make_unique<SimWorker>(index, options_, network_, files_,
                                  [this](Slot slot, const SimEnd& end) { onEnd(slot, end); }));
  network_.after(Slot{Role::kWorker, index}, network_.between(0, 100'000),
                 [this, index] { workerAt(index).start(); });
}

void SimJob::leave(Slot slot) {
  if (slot.role == Role::kWorker) {
    workerAt(slot.index).leave();
  } else {
    server(slot.index).leave();
  }
}

std::uint32_t SimJob::highestGeneration() const {
  std::uint32_t highest = 0;
  for (int i = 0; i < options_.sums(); ++i)
    highest = std::max(highest, server(i).view().order.generation);
  return highest;
}

void SimJob::breakSometimes() {
  const std::int64_t mean = *options_.break_every_us;
  network_.after(network_.between(1, 2 * mean), [this] {
    network_.breakOne(std::chrono::milliseconds(60), options_.break_lane);
    breakSometimes();
  });
}

bool SimJob::allEnded() const {
  const auto over = [this](Slot slot) { return ends_.contains(slot) || network_.isDead(slot); };
  for (int i = 0; i < workers(); ++i) {
    if (!over({Role::kWorker, i})) return false;
  }
  for (int i = 0; i < options_.servers; ++i) {
    if (!over({Role::kServer, i})) return false;
  }
  return true;
}

void SimJob::run() {
  const TimePoint deadline = network_.now() + std::chrono::minutes(2);
  while (!allEnded() && network_.now() < deadline && network_.runNext()) {
  }
}

}  // namespace sumac
