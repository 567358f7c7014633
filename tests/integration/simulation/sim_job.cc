#include "tests/integration/simulation/sim_job.h"

#include <algorithm>
#include <utility>

namespace sumac {
namespace {

constexpr int kFirstWorker = 100;  // incarnations
constexpr int kFirstServer = 200;
constexpr Duration kLinger = std::chrono::milliseconds(50);  // what was sent still leaves

}  // namespace

SimJob::SimJob(const SimOptions& options)
    : options_(options), network_(options.seed, options.credit) {
  servers_.reserve(static_cast<std::size_t>(options.servers));
  const int servers = options.is_operated ? 0 : options.servers;
  for (int i = 0; i < servers; ++i) {
    servers_.push_back(
        makeServer({{Role::kServer, i}, static_cast<Incarnation>(kFirstServer + i)}));
  }
  const int workers = options.is_operated ? 0 : options.workers;
  for (int i = 0; i < workers; ++i)
    addWorker();
  network_.harm(options.faults);
  network_.delayStates(options.state_time);
  if (options.slips) network_.slip();
  if (options.break_every_us) breakSometimes();
}

/// Of a process that another one has replaced nobody asks.
void SimJob::onEnd(const Member& member, const SimEnd& end) {
  if (end.code == ExitCode::kStopped && end.reason.ends_with("the others go on")) {
    watch_.onReleased(member);
  } else {
    watch_.onEnd(member);
    // The others lose it, also where it was asked to stop and knew of no roster yet.
    if (end.code == ExitCode::kStopped || end.code == ExitCode::kLostPeers) watch_.disturb();
  }
  // What it lacks for this job, its machine lacks.
  if (end.code == ExitCode::kBadConfiguration) giveUp(member.slot);
  ends_of_all_[member] = end;
  if (network_.newest(member.slot) == member) ends_[member.slot] = end;
  network_.after(kLinger, [this, member] { network_.kill(member); });
  // As whoever keeps the members of such a job does.
  if (options_.most && !options_.is_operated && end.code == ExitCode::kLostPeers)
    restartAfter(member, std::chrono::milliseconds(200));
}

/// As who restarts members says to each how many there are to be by now.
SimGround SimJob::ground() {
  if (options_.is_operated) return {options_, network_, files_, watch_, wanted_};
  const bool is_first = lives_ == kBeforeRestarts;
  int wanted = options_.named > 0 && !is_first ? options_.named : options_.workers;
  if (options_.named > 0) return {options_, network_, files_, watch_, wanted};
  for (int i = wanted; i < workers(); ++i)
    wanted = gone_.contains({Role::kWorker, i}) ? wanted : i + 1;
  return {options_, network_, files_, watch_, wanted};
}

std::unique_ptr<SimWorker> SimJob::makeWorker(const Member& self) {
  auto made = std::make_unique<SimWorker>(
      self, ground(), [this](const Member& member, const SimEnd& end) { onEnd(member, end); });
  network_.after(self, network_.between(0, 100'000), [process = made.get()] { process->start(); });
  return made;
}

std::unique_ptr<SimServer> SimJob::makeServer(const Member& self) {
  auto made = std::make_unique<SimServer>(
      self, ground(), [this](const Member& member, const SimEnd& end) { onEnd(member, end); });
  network_.after(self, network_.between(0, 100'000), [process = made.get()] { process->start(); });
  return made;
}

void SimJob::addWorker() {
  const int index = workers();
  workers_.push_back(
      makeWorker({{Role::kWorker, index}, static_cast<Incarnation>(kFirstWorker + index)}));
}

Member SimJob::startProcess(Slot slot, int workers) {
  const auto index = static_cast<std::size_t>(slot.index);
  wanted_ = workers;
  if (slot.role == Role::kWorker && index >= workers_.size()) workers_.resize(index + 1);
  if (slot.role == Role::kServer && index >= servers_.size()) servers_.resize(index + 1);
  restart(slot);
  return {slot, lives_};
}

std::optional<SimEnd> SimJob::endOf(const Member& process) const {
  const auto end = ends_of_all_.find(process);
  return end == ends_of_all_.end() ? std::nullopt : std::optional(end->second);
}

void SimJob::kill(const Member& process) {
  watch_.disturb();
  watch_.onEnd(process);
  network_.kill(process);
}

void SimJob::startAnotherIn(Duration delay, const Member& than) {
  ++starting_;
  network_.after(delay, [this, than] {
    --starting_;
    if (!isOver() && network_.newest(than.slot) == than) restart(than.slot);
  });
}

void SimJob::restartIn(Duration delay, Slot slot) {
  ++starting_;
  network_.after(delay, [this, slot] {
    --starting_;
    if (network_.isDead(slot) && !isOver()) restart(slot);
  });
}

void SimJob::restartAfter(const Member& process, Duration delay) {
  ++starting_;
  network_.after(std::max(delay, kLinger), [this, process, delay] {
    --starting_;
    if (!network_.isDead(process)) return restartAfter(process, delay);
    const auto ended = ends_.find(process.slot);
    const bool is_done = ended != ends_.end() && ended->second.code == ExitCode::kDone;
    if (!is_done && network_.newest(process.slot) == process) restart(process.slot);
  });
}

void SimJob::restart(Slot slot) {
  ends_.erase(slot);
  const auto index = static_cast<std::size_t>(slot.index);
  if (slot.role == Role::kWorker) {
    former_workers_.push_back(std::exchange(workers_.at(index), makeWorker({slot, ++lives_})));
  } else {
    former_servers_.push_back(std::exchange(servers_.at(index), makeServer({slot, ++lives_})));
  }
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

/// Complete, also where slot 0 is killed while it tells the last ones, or stopped.
bool SimJob::isOver() const {
  const auto is_complete = [](const auto& end) { return end.second.code == ExitCode::kDone; };
  if (std::ranges::any_of(ends_of_all_, is_complete)) return true;
  const auto end = ends_.find(simCoordinator(options_));
  return end != ends_.end() && end->second.code == ExitCode::kStopped &&
         end->second.reason.find("wait for another") == std::string::npos;
}

/// Who is started too late finds nobody any more, and would wait: whoever keeps the members of such
/// a job ends it.
bool SimJob::isTooLate(Slot slot) const {
  const bool is_worker = slot.role == Role::kWorker;
  JobMember& member = is_worker ? worker(slot.index) : serverAt(slot.index).member();
  return isOver() && member.view().order.term == 0;
}

bool SimJob::allEnded() const {
  if (starting_ > 0) return false;
  const auto over = [this](Slot slot) {
    return ends_.contains(slot) || network_.isDead(slot) || isTooLate(slot);
  };
  for (int i = 0; i < workers(); ++i) {
    if (!over({Role::kWorker, i})) return false;
  }
  for (int i = 0; i < options_.servers; ++i) {
    if (!over({Role::kServer, i})) return false;
  }
  return true;
}

void SimJob::run() {
  runUntil([this] { return allEnded(); });
}

void SimJob::runUntil(const std::function<bool()>& isThere, Duration most) {
  const TimePoint deadline = network_.now() + most;
  while (!isThere() && network_.now() < deadline && network_.runNext()) {
    if (!isOver()) watch_.checkLiveness();
  }
}

}  // namespace sumac
