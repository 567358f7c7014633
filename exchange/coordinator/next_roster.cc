#include "exchange/coordinator/next_roster.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace sumac {

namespace {

using Done = std::map<Slot, std::optional<Step>>;  // by worker: the step whose state it has

/// `holders`: the workers that have the state; none where nobody has one.
Slot nextWriter(const Admission& admission, Slot before, const std::vector<Slot>& holders) {
  const auto& joined = admission.joined();
  std::vector<Slot> candidates;
  if (joined.contains(before)) candidates.push_back(before);
  candidates.insert(candidates.end(), holders.begin(), holders.end());
  for (const auto& [slot, one] : joined) {
    if (slot.role == Role::kWorker) candidates.push_back(slot);
  }
  const auto found = std::ranges::find_if(
      candidates, [&](Slot slot) { return joined.at(slot).request.volume.has_value(); });
  return found != candidates.end() ? *found : candidates.front();
}

/// The newest checkpoint that this worker can read; 0: none that is known.
Step checkpointOf(const Admission& admission, const KnownStates& known, Slot reader) {
  return std::max(known.checkpoint, admission.joined().at(reader).request.newest_checkpoint);
}

/// The next writer, unless another worker has seen a newer checkpoint.
Slot readerOf(const Admission& admission, const KnownStates& known) {
  Slot reader = nextWriter(admission, known.writer, {});
  const auto& joined = admission.joined();
  for (const auto& [slot, one] : joined) {
    const bool may_read = one.request.volume || !joined.at(reader).request.volume;
    if (slot.role == Role::kWorker && may_read &&
        checkpointOf(admission, known, slot) > checkpointOf(admission, known, reader))
      reader = slot;
  }
  return reader;
}

void startFromCheckpoint(Slot reader, Step checkpoint, const Done& done, Admission::Next& next) {
  next.reads_checkpoint = true;
  next.writer = reader;
  next.start_step = checkpoint;
  if (next.start_step == 0) return;
  Slot end = reader;  // of the chain
  for (const auto& [slot, step] : done) {
    if (slot != next.writer) next.sources[slot] = std::exchange(end, slot);
  }
}

void startFromMemory(const Admission& admission, const KnownStates& known, const Done& done,
                     Admission::Next& next) {
  std::vector<Slot> ends;  // of chains
  for (const auto& [slot, step] : done) {
    if (step == next.start_step) ends.push_back(slot);
  }
  next.writer = nextWriter(admission, known.writer, ends);
  std::stable_partition(ends.begin(), ends.end(), [&](Slot slot) { return slot != next.writer; });
  std::size_t chain = 0;
  for (const auto& [slot, step] : done) {
    if (step == next.start_step) continue;
    Slot& end = ends[chain++ % ends.size()];
    next.sources[slot] = std::exchange(end, slot);
  }
}

}  // namespace

Admission::Next nextRoster(const Admission& admission, const KnownStates& known) {
  Admission::Next next{.evaluated = known.evaluated};
  Done done;
  for (const auto& [slot, joined] : admission.joined()) {
    const auto& followed = joined.request.followed;
    if (followed) next.evaluated = std::max(next.evaluated, followed->evaluated);
    if (slot.role != Role::kWorker) continue;
    const auto halted = known.halted.find(slot);
    done[slot] = followed ? followed->done : std::nullopt;
    if (halted != known.halted.end()) done[slot] = halted->second;
  }
  const auto most = std::ranges::max_element(
      done, {}, [](const auto& entry) { return entry.second.value_or(-1); });
  const Slot reader = readerOf(admission, known);
  const Step checkpoint = checkpointOf(admission, known, reader);
  if (!most->second || checkpoint > *most->second) {
    startFromCheckpoint(reader, checkpoint, done, next);
  } else {
    next.start_step = *most->second;
    startFromMemory(admission, known, done, next);
  }
  return next;
}

}  // namespace sumac
