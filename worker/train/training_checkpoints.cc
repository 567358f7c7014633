#include <filesystem>
#include <system_error>
#include <utility>

#include "base/core/units.h"
#include "engine/checkpoint/checkpoint.h"
#include "worker/train/checkpoint_room.h"
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
  const auto path = draft_->complete();
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
  return Outcome::kDone;
}

/// So that nothing is begun that must fail: training needs the room, too. Older checkpoints give
/// way to a newer one.
bool TrainingRun::hasRoomFor(const checkpoint::State& state) {
  std::size_t values = state.weights.size() + state.recurrent.size() + state.statistics.size();
  for (const auto& [name, vector] : state.optimizer)
    values += vector.size();
  const std::uintmax_t needed = fileBytes(values);
  const auto& folder = setup_.checkpoint_folder;
  const auto free = makeRoom(folder, needed, folder, state.step, state.plan_hash, log_);
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
/// makes the folder again, or tells.
Outcome TrainingRun::notKept(Step step, const Error& error) {
  if (error.code == ErrorCode::kConflict) return failed(error);
  unkept_ = error;
  std::error_code ignored;
  const bool is_gone = error.code == ErrorCode::kNotFound &&
                       !std::filesystem::is_regular_file(setup_.checkpoint_folder, ignored);
  if (is_gone) unkept_->code = ErrorCode::kUnavailable;  // another attempt makes the folder
  if (is_gone || error.code == ErrorCode::kDenied) {
    tellSkip(step);
    return Outcome::kSkipped;
  }
  log_.warn("checkpoint not kept", {{"error", error.message}});
  return Outcome::kNotKept;
}

}  // namespace sumac::worker
