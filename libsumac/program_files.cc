#include "libsumac/program_files.h"

#include <filesystem>
#include <utility>

#include "base/core/file.h"
#include "base/core/units.h"
#include "base/process/incarnation.h"
#include "engine/checkpoint/checkpoint_room.h"
#include "job/progress/output_folder.h"

namespace sumac::program {

using worker::Outcome;

namespace {

std::size_t bytesOf(const checkpoint::ProgramState& state) {
  std::size_t bytes = state.text.size();
  for (const auto& tensor : state.tensors)
    bytes += tensor.view.data.size();
  return bytes;
}

}  // namespace

ProgramFiles::ProgramFiles(const ProgramSetup& setup, worker::JobExchange& exchange,
                           worker::Reporter& reporter, const WallClock& wall_clock, const Log& log)
    : setup_(setup),
      exchange_(exchange),
      reporter_(reporter),
      wall_clock_(wall_clock),
      log_(log),
      writer_(newIncarnation()) {}

/// Where members change, a volume may be mounted in another worker alone: then training goes on
/// without.
Result<void> ProgramFiles::begin(const Roster& roster, Member self) {
  const Settings& settings = setup_.settings;
  if (setup_.changes && roster_.members.empty()) {
    const worker::Writer writer{settings.job_uid, setup_.attempt, {}, self};
    if (!settings.output_folder.empty())
      output_fence_.emplace(settings.output_folder, worker::writerFileOf(), writer);
    if (!settings.checkpoint_folder.empty())
      checkpoint_fence_.emplace(settings.checkpoint_folder,
                                worker::writerFileOf(setup_.checkpoint_owner), writer);
  }
  roster_ = roster;
  self_ = self;
  keeps_checkpoints_ = !settings.checkpoint_folder.empty();
  if (!isWriter()) {
    has_output_ = false;
    std::error_code ignored;
    if (setup_.changes && keeps_checkpoints_)
      keeps_checkpoints_ = std::filesystem::is_directory(settings.checkpoint_folder, ignored);
    return {};
  }
  const auto has_checkpoints = hasVolume(checkpoint_fence_);
  if (!has_checkpoints) return has_checkpoints.error();
  const auto has_output = hasVolume(output_fence_);
  if (!has_output) return has_output.error();
  keeps_checkpoints_ = keeps_checkpoints_ && *has_checkpoints;
  if (*has_checkpoints && *has_output) lacks_volume_ = false;
  const Step start = keeps_checkpoints_ ? newestStart() : roster_.start_step;
  return *has_output ? beginOutput(start) : Result<void>();
}

/// As TrainingRun::newestStart().
Step ProgramFiles::newestStart() {
  if (!setup_.changes) return roster_.start_step;
  const auto found = checkpoint::newerThan(setup_.settings.checkpoint_folder, roster_.start_step,
                                           setup_.plan_hash, programNumerics());
  if (!found) return roster_.start_step;
  log_.warn("newer checkpoint", {{"step", *found}, {"after", roster_.start_step}});
  exchange_.foundCheckpoint(*found);
  return *found;
}

Result<void> ProgramFiles::beginOutput(Step from) {
  const std::string& folder = setup_.settings.output_folder;
  if (has_output_ || folder.empty()) return {};
  const OutputFolder output(folder);
  output.removeResult();
  if (setup_.changes && from > 0) {
    if (const auto cut = output.cutMetrics(from); !cut)
      log_.warn("lines of progress that are not of this course stay",
                {{"error", cut.error().message}});
  }
  const auto may = [this] { return hold(output_fence_); };
  if (auto opened = reporter_.writeTo(output, from == 0, may); !opened) return opened;
  if (setup_.settings.writes_tensorboard) reporter_.writeTo({folder, from, wall_clock_});
  has_output_ = true;
  return {};
}

Result<checkpoint::ProgramState> ProgramFiles::restore(Step step) {
  log_.info("resuming", {{"step", step}});
  return checkpoint::restoreProgram(setup_.settings.checkpoint_folder, step, &exchange_.work(),
                                    setup_.plan_hash);
}

Outcome ProgramFiles::draft(const checkpoint::ProgramState& state) {
  if (!hasRoomFor(state)) return Outcome::kSkipped;
  checkpoint::ProgramOrigin of;
  of.term = roster_.order.term;
  of.origin = {setup_.plan_hash, programNumerics(), {}, 0, setup_.plan_lines};
  if (roster_.choice) {
    of.origin.algorithm = toString(roster_.choice->method);
    of.origin.workers = roster_.workers();
  }
  auto made =
      checkpoint::Draft::make(setup_.settings.checkpoint_folder, checkpoint::contentOf(state, of),
                              {.keep = setup_.settings.job.checkpoint.keep,
                               .writer = writer_,
                               .owner = setup_.checkpoint_owner,
                               .work = &exchange_.work()});
  if (!made) return notKept(state.step, made.error());
  unkept_.reset();
  draft_.emplace(*std::move(made));
  return Outcome::kDone;
}

Outcome ProgramFiles::complete(Step step) {
  const auto may = hold(checkpoint_fence_);
  const auto path = may ? draft_->complete() : may.error();
  draft_.reset();
  if (!path) return notKept(step, path.error());
  log_.info("checkpoint written", {{"step", step}, {"path", path->string()}});
  reporter_.onCheckpoint(step);
  return reporter_.superseded() ? failed(*reporter_.superseded()) : Outcome::kDone;
}

std::string ProgramFiles::modelPath() const {
  const std::string& folder = setup_.settings.output_folder;
  if (folder.empty()) return {};
  return std::filesystem::absolute(OutputFolder(folder).model()).string();
}

void ProgramFiles::writeModel(const checkpoint::ProgramState& state) {
  const Settings& settings = setup_.settings;
  model_ = {};
  if (settings.output_folder.empty()) return;
  if (auto may = holdForResult(); !may) {
    model_ = may.error();
    return;
  }
  const Bytes file = checkpoint::encodeTensorFile(state.views(/*is_model=*/true),
                                                  {{"format", "pt"},
                                                   {"job", settings.job.name},
                                                   {"numerics", programNumerics()},
                                                   {"step", std::to_string(state.step)}});
  checkpoint::makeRoom(settings.output_folder, checkpoint::fileBytes(0) + file.size(),
                       settings.checkpoint_folder, setup_.total_steps + 1, setup_.plan_hash, log_);
  model_ = replaceFile(OutputFolder(settings.output_folder).model(), file, &exchange_.work());
}

Result<void> ProgramFiles::writeResult(const JobResult& result) {
  if (!model_) return model_;
  if (auto may = holdForResult(); !may) return may;
  reporter_.onResult(result);
  if (setup_.settings.output_folder.empty()) return {};
  return OutputFolder(setup_.settings.output_folder).writeResult(result);
}

void ProgramFiles::removeResult() {
  if (!setup_.settings.output_folder.empty() && hold(output_fence_))
    OutputFolder(setup_.settings.output_folder).removeResult();
}

void ProgramFiles::writeEnd(const JobEnd& end) {
  if (!has_output_ || !hold(output_fence_)) return;
  const auto kept = OutputFolder(setup_.settings.output_folder).writeEnd(end);
  if (!kept) log_.warn("the end of the job not written", {{"error", kept.error().message}});
}

Result<void> ProgramFiles::hold(std::optional<worker::WriterFence>& fence) {
  if (!fence) return {};
  return isWriter() ? fence->hold(roster_.order) : fence->check(roster_.order);
}

Result<void> ProgramFiles::holdForResult() {
  auto held = hold(output_fence_);
  if (held || held.error().code == ErrorCode::kStale) return held;
  return Error{ErrorCode::kUnavailable, held.error().message};
}

/// A volume that is full, or fails, may take a later checkpoint.
Result<bool> ProgramFiles::hasVolume(std::optional<worker::WriterFence>& fence) {
  const auto held = hold(fence);
  if (held || held.error().code == ErrorCode::kUnavailable) return true;
  if (held.error().code == ErrorCode::kStale) return held.error();
  tellNoVolume(held.error());
  return false;
}

/// Once, until it has one.
void ProgramFiles::tellNoVolume(const Error& why) {
  if (std::exchange(lacks_volume_, true)) return;
  const std::string text = toString(self_.slot) +
                           ", which is to write now, has no volume: " + why.message +
                           "; checkpoints pause until a worker with one writes";
  log_.warn("no volume", {{"error", text}});
  exchange_.reportSkipped({roster_.start_step, text, /*has_no_volume=*/true});
}

bool ProgramFiles::hasRoomFor(const checkpoint::ProgramState& state) {
  const std::uintmax_t needed = checkpoint::fileBytes(0) + bytesOf(state);
  const std::filesystem::path folder = setup_.settings.checkpoint_folder;
  const auto free =
      checkpoint::makeRoom(folder, needed, folder, state.step, setup_.plan_hash, log_);
  if (!free || *free >= needed) return true;
  unkept_ = Error{ErrorCode::kUnavailable,
                  "no room in " + folder.string() + " for the checkpoint of step " +
                      std::to_string(state.step) + ": it needs " + bytesText(needed) + ", " +
                      bytesText(*free) + " are free (No space left on device)"};
  tellSkip(state.step);
  return false;
}

void ProgramFiles::tellSkip(Step step) {
  log_.warn("checkpoint not kept", {{"error", unkept_->message}});
  // The result reports the last one.
  if (step < setup_.total_steps) exchange_.reportSkipped({step, unkept_->message});
}

/// As in TrainingRun: a folder that holds something else ends the job. A checkpoint is skipped if
/// its folder is gone or forbidden, or if other members have the state, too: the training is worth
/// more.
Outcome ProgramFiles::notKept(Step step, const Error& error) {
  if (error.code == ErrorCode::kConflict || error.code == ErrorCode::kStale) return failed(error);
  unkept_ = error;
  std::error_code ignored;
  const bool is_gone =
      error.code == ErrorCode::kNotFound &&
      !std::filesystem::is_regular_file(setup_.settings.checkpoint_folder, ignored);
  if (is_gone) unkept_->code = ErrorCode::kUnavailable;
  if (is_gone || error.code == ErrorCode::kDenied || setup_.changes) {
    tellSkip(step);
    return Outcome::kSkipped;
  }
  log_.warn("checkpoint not kept", {{"error", error.message}});
  return Outcome::kNotKept;
}

Outcome ProgramFiles::failed(const Error& error) {
  failure_ = error;
  return Outcome::kFailed;
}

}  // namespace sumac::program
