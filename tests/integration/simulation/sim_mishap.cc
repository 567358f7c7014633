#include "tests/integration/simulation/sim_mishap.h"

#include <algorithm>

#include "base/core/stop_times.h"

namespace sumac {
namespace {

constexpr Duration kMissed = std::chrono::milliseconds(3500);

std::string inSeconds(Duration time) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
  const std::string rest = std::to_string(1000 + ms % 1000).substr(1);
  return std::to_string(ms / 1000) + "." + rest + " s";
}

std::string namesOf(const std::vector<Slot>& slots) {
  std::string names;
  for (const Slot slot : slots)
    names += (names.empty() ? "" : ", ") + toString(slot);
  return names;
}

}  // namespace

void SimMishaps::plan(const std::vector<SimMishap>& mishaps) {
  for (const SimMishap& mishap : mishaps) {
    const auto later = [this, mishap] {
      job_.network().after(mishap.at, [this, mishap] { happen(mishap); });
    };
    mishap.sent > 0 ? job_.watch().onceSent(mishap.sent, later) : later();
  }
}

void SimMishaps::happen(const SimMishap& mishap) {
  using Kind = SimMishap::Kind;
  job_.watch().expect(job_.network().now() + mishap.time);
  switch (mishap.kind) {
    case Kind::kJoin:
      if (job_.workers() == options_.most->workers) return;
      job_.addWorker();
      return tell(mishap, "worker " + std::to_string(job_.workers() - 1) + " starts");
    case Kind::kLeave: return leave(mishap);
    case Kind::kLose: return lose(mishap);
    case Kind::kReplace: return replace(mishap);
    case Kind::kDrain: return drain(mishap);
    case Kind::kPause:
    case Kind::kZombie: return pause(mishap);
    case Kind::kCut: return cut(mishap);
    case Kind::kLoseHolders:
      job_.watch().onceReceiving([this, mishap](const Member& receiver) {
        const auto most = std::chrono::floor<std::chrono::milliseconds>(options_.state_time);
        job_.network().after(std::chrono::milliseconds(mishap.pick % (most.count() + 1)),
                             [this, mishap, receiver] { loseHolders(mishap, receiver); });
      });
  }
}

void SimMishaps::tell(const SimMishap& mishap, const std::string& what) {
  told_.push_back("after " + inSeconds(mishap.at) + ": " + what);
}

std::vector<Slot> SimMishaps::living(bool with_coordinator) const {
  std::vector<Slot> slots;
  const auto add = [&](Role role, int count) {
    for (int i = 0; i < count; ++i) {
      const Slot slot{role, i};
      const bool is_there = !job_.network().isDead(slot) && !job_.gone().contains(slot);
      if (is_there && (with_coordinator || slot != simCoordinator(options_))) slots.push_back(slot);
    }
  };
  add(Role::kWorker, job_.workers());
  add(Role::kServer, options_.servers);
  return slots;
}

/// How many workers have done a step.
int SimMishaps::training() const {
  int count = 0;
  for (const Slot slot : living(/*with_coordinator=*/true))
    count += slot.role == Role::kWorker && job_.lastStep(slot.index) > 0 ? 1 : 0;
  return count;
}

/// No worker while one alone trains: with it the job would begin again.
std::optional<Slot> SimMishaps::victim(const SimMishap& mishap, bool with_coordinator) const {
  const std::vector<Slot> slots = living(with_coordinator);
  if (slots.empty()) return std::nullopt;
  const Slot slot = slots[mishap.pick % slots.size()];
  if (training() < (slot.role == Role::kWorker ? 2 : 1)) return std::nullopt;
  return slot;
}

/// This process to stop, when it runs.
void SimMishaps::ask(Slot slot) {
  const Member process = job_.network().newest(slot);
  job_.network().after(process, Duration{}, [this, process] {
    if (job_.network().newest(process.slot) == process) job_.leave(process.slot);
  });
}

void SimMishaps::leave(const SimMishap& mishap) {
  const auto slot = victim(mishap, /*with_coordinator=*/false);
  if (!slot) return;
  job_.giveUp(*slot);
  job_.watch().expectFew();
  job_.watch().onLeaving(job_.network().newest(*slot));
  ask(*slot);
  tell(mishap, toString(*slot) + " is asked to stop");
}

void SimMishaps::lose(const SimMishap& mishap) {
  const auto slot = victim(mishap, /*with_coordinator=*/false);
  if (!slot) return;
  job_.giveUp(*slot);
  job_.watch().expectFew();
  job_.kill(*slot);
  tell(mishap, toString(*slot) + " is killed, for good");
}

void SimMishaps::replace(const SimMishap& mishap) {
  const auto slot = victim(mishap, /*with_coordinator=*/true);
  if (!slot) return;
  job_.kill(*slot);
  job_.restartIn(mishap.time, *slot);
  tell(mishap,
       toString(*slot) + " is killed; another one starts " + inSeconds(mishap.time) + " later");
}

void SimMishaps::drain(const SimMishap& mishap) {
  const Slot slot = simCoordinator(options_);
  if (job_.network().isDead(slot)) return;
  const Member before = job_.network().newest(slot);
  job_.watch().disturb();
  job_.watch().expect(job_.network().now() + StopTimes::kRelease + mishap.time);
  ask(slot);
  job_.restartAfter(before, mishap.time);
  tell(mishap, toString(slot) + " is asked to stop; another one starts " + inSeconds(mishap.time) +
                   " after its end");
}

void SimMishaps::pause(const SimMishap& mishap) {
  const auto slot = victim(mishap, /*with_coordinator=*/true);
  if (!slot) return;
  job_.watch().disturb();
  job_.watch().cutOff();
  job_.network().pause(*slot, mishap.time);
  const bool is_replaced = mishap.kind == SimMishap::Kind::kZombie;
  if (is_replaced) job_.startAnotherIn(kMissed, job_.network().newest(*slot));
  tell(mishap, toString(*slot) + " does not run for " + inSeconds(mishap.time) +
                   (is_replaced ? "; another one starts " + inSeconds(kMissed) + " later" : ""));
}

/// The one that receives goes on with what it has, or from the checkpoint.
void SimMishaps::loseHolders(const SimMishap& mishap, const Member& receiver) {
  const std::vector<Member> holders = job_.watch().holders();
  const bool is_there = !job_.network().isDead(receiver) && !job_.gone().contains(receiver.slot);
  if (!is_there || std::ranges::find(holders, receiver) != holders.end()) return;
  job_.watch().expectFew();
  job_.watch().loseState();
  job_.watch().expect(job_.network().now() + mishap.time);
  std::vector<Slot> slots;
  for (const Member& holder : holders) {
    slots.push_back(holder.slot);
    job_.kill(holder);
    if (!job_.gone().contains(holder.slot)) job_.restartIn(mishap.time, holder.slot);
  }
  tell(mishap, namesOf(slots) + " is killed, as " + toString(receiver.slot) +
                   " receives a state; another one starts " + inSeconds(mishap.time) + " later");
}

/// From each member of a group to each that is not of it; the other way all is as before.
void SimMishaps::cut(const SimMishap& mishap) {
  const std::vector<Slot> slots = living(/*with_coordinator=*/true);
  if (training() < 2) return;
  std::vector<Slot> from;
  std::vector<Slot> to;
  for (std::size_t i = 0; i < slots.size(); ++i)
    ((mishap.pick >> (i % 32)) % 2 == 1 ? from : to).push_back(slots[i]);
  job_.watch().disturb();
  job_.watch().cutOff();
  for (const Slot one : from) {
    for (const Slot other : to)
      job_.network().cut(one, other, mishap.time, mishap.lane);
  }
  const std::string what = !mishap.lane                          ? "nothing"
                           : mishap.lane == link::Lane::kControl ? "no control message"
                                                                 : "no data";
  tell(mishap, what + " passes from " + namesOf(from) + " to " + namesOf(to) + " for " +
                   inSeconds(mishap.time));
}

}  // namespace sumac
