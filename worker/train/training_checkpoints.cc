#include <filesystem>
#include <system_error>
#include <utility>

#include "base/core/units.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/checkpoint_room.h"
#include "worker/train/training_run.h"

// A training run's checkpoints: drafted, completed, or not kept.

namespace sumac::worker {

Outcome TrainingRun::draftCheckpoint(Step step) {
  draft_begun_ = clock_.now();
  checkpoint::State state = state_.snapshot(step, start_.roster.order.term);
  if (start_.roster.choice) {
    state.algorithm = toString(start_.roster.choice->method);
    state.workers = start_.roster.workers();
  }
  if (!hasRoomFor(state)) return Outcome::kSkipped;
  auto made = checkpoint::Draft::make(setup_.checkpoint_folder, setup_.network, state,
                                      {.keep = setup_.job.checkpoint.keep,
                                       .writer = writer_,
                                       .owner = setup_.checkpoint_owner,
                                       .work = &exchange_.work()});
  if (!made) return notKept(step, made.error());
  unkept_.reset();
  draft_.emplace(*std::move(made));
  return Outcome::kDone;
}

Outcome TrainingRun::completeCheckpoint(Step step) {
  const auto may = hold(checkpoint_fence_);
  const auto path = may ? draft_->complete() : may.error();
  draft_.reset();
  if (!path) return notKept(step, path.error());
  log_.info("checkpoint written", {{"step", step}, {"path", path->string()}});
  reporter_.onCheckpoint(step);
  const TimePoint done = clock_.now();
  snapshot_.checkpoint_seconds += secondsBetween(draft_begun_, done);
  record(trace::Activity::kCheckpoint, step, draft_begun_, done);
  ++snapshot_.checkpoints;
  snapshot_.checkpoint_step = step;
  published_.set(snapshot_);
  return unlessSuperseded();
}

/// Where members change, a volume may be mounted in another worker alone: then training goes on
/// without.
Result<void> TrainingRun::beginWriting() {
  std::error_code ignored;
  keeps_checkpoints_ = keepsCheckpoints();
  if (!isWriter()) {
    has_output_ = false;
    // At a stop it may have to write in the writer's place.
    if (setup_.changes && keeps_checkpoints_)
      keeps_checkpoints_ = std::filesystem::is_directory(setup_.checkpoint_folder, ignored);
    return {};
  }
  const auto has_checkpoints = hasVolume(checkpoint_fence_);
  if (!has_checkpoints) return has_checkpoints.error();
  const auto has_output = hasVolume(output_fence_);
  if (!has_output) return has_output.error();
  keeps_checkpoints_ = keeps_checkpoints_ && *has_checkpoints;
  if (*has_checkpoints && *has_output) lacks_volume_ = false;
  const Step start = keeps_checkpoints_ ? newestStart() : start_.roster.start_step;
  return *has_output ? beginOutput(start) : Result<void>();
}

/// The step after which the job goes on: that of a newer checkpoint, where another process has
/// completed one since the workers of this roster looked. By now the fence keeps it from more.
Step TrainingRun::newestStart() {
  const Roster& roster = start_.roster;
  if (!setup_.changes) return roster.start_step;
  const auto found = checkpoint::newerThan(setup_.checkpoint_folder, roster.start_step,
                                           setup_.plan_hash, numericsId(kernels_.variant()));
  if (!found) return roster.start_step;
  log_.warn("newer checkpoint", {{"step", *found}, {"after", roster.start_step}});
  exchange_.foundCheckpoint(*found);
  return *found;
}

Result<void> TrainingRun::hold(std::optional<WriterFence>& fence) {
  if (!fence) return {};
  const RosterOrder order = start_.roster.order;
  return isWriter() ? fence->hold(order) : fence->check(order);
}

Result<void> TrainingRun::holdForResult() {
  auto held = hold(output_fence_);
  if (held || held.error().code == ErrorCode::kStale) return held;
  return Error{ErrorCode::kUnavailable, held.error().message};
}

/// A volume that is full, or fails, may take a later checkpoint.
Result<bool> TrainingRun::hasVolume(std::optional<WriterFence>& fence) {
  const auto held = hold(fence);
  if (held || held.error().code == ErrorCode::kUnavailable) return true;
  if (held.error().code == ErrorCode::kStale) return held.error();
  tellNoVolume(held.error());
  return false;
}

/// Once, until it has one.
void TrainingRun::tellNoVolume(const Error& why) {
  if (std::exchange(lacks_volume_, true)) return;
  const std::string text = toString(slot()) +
                           ", which is to write now, has no volume: " + why.message +
                           "; checkpoints pause until a worker with one writes";
  log_.warn("no volume", {{"error", text}});
  exchange_.reportSkipped({start_.roster.start_step, text, /*has_no_volume=*/true});
}

/// So that nothing is begun that must fail: training needs the room, too. Older checkpoints give
/// way to a newer one.
bool TrainingRun::hasRoomFor(const checkpoint::State& state) {
  std::size_t values = state.weights.size() + state.recurrent.size() + state.statistics.size();
  for (const auto& [name, vector] : state.optimizer)
    values += vector.size();
  const std::uintmax_t needed = checkpoint::fileBytes(values);
  const auto& folder = setup_.checkpoint_folder;
  const auto free = checkpoint::makeRoom(folder, needed, folder, state.step, state.plan_hash, log_);
  if (!free || *free >= needed) return true;
  unkept_ = Error{ErrorCode::kUnavailable,
                  "no room in " + folder.string() + " for the checkpoint of step " +
                      std::to_string(state.step) + ": it needs " + bytesText(needed) + ", " +
                      bytesText(*free) + " are free (No space left on device)"};
  tellSkip(state.step);
  return false;
}

void TrainingRun::tellSkip(Step step) {
  log_.warn("checkpoint not kept", {{"error", unkept_->message}});
  // Of the last one the result tells.
  if (step < total_steps_) exchange_.reportSkipped({step, unkept_->message});
}

/// A checkpoint that holds something else is no matter of room: nothing is to be trusted then. One
/// whose folder somebody has removed or forbidden is worth less than the training: the next one
/// makes the folder again, or tells. Where members change, so is any other: the state is in the
/// memory of others, too.
Outcome TrainingRun::notKept(Step step, const Error& error) {
  if (error.code == ErrorCode::kConflict || error.code == ErrorCode::kStale) return failed(error);
  unkept_ = error;
  std::error_code ignored;
  const bool is_gone = error.code == ErrorCode::kNotFound &&
                       !std::filesystem::is_regular_file(setup_.checkpoint_folder, ignored);
  if (is_gone) unkept_->code = ErrorCode::kUnavailable;  // another attempt makes the folder
  if (is_gone || error.code == ErrorCode::kDenied || setup_.changes) {
    tellSkip(step);
    return Outcome::kSkipped;
  }
  log_.warn("checkpoint not kept", {{"error", error.message}});
  return Outcome::kNotKept;
}

}  // namespace sumac::worker
