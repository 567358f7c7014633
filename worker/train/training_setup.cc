#include "worker/train/training_setup.h"

#include <utility>

#include "base/core/units.h"
#include "base/core/version.h"
#include "engine/nn/processors.h"
#include "exchange/course/job_folders.h"
#include "exchange/membership/join_request.h"
#include "exchange/plan/job_plan.h"
#include "exchange/plan/kernel_check.h"
#include "exchange/plan/numerics.h"
#include "exchange/plan/plan_text.h"
#include "job/document/data_limits.h"
#include "job/document/network_of.h"

namespace sumac::worker {
namespace {

Error invalid(const std::string& message) {
  return Error{ErrorCode::kInvalid, message};
}

/// Whether a checkpoint's files are at fault, not the request.
bool isDamage(const Error& error) {
  return error.code == ErrorCode::kInvalid || error.code == ErrorCode::kDenied;
}

/// What makes a network and samples of another shape fit.
std::string remedyFor(const Samples& samples, const model::Shape& input) {
  std::string extents;
  for (const std::int64_t extent : samples.shape)
    extents += (extents.empty() ? "" : ", ") + std::to_string(extent);
  const bool are_images = samples.shape.size() == input.size() && input.size() == 3;
  return "; set spec.model.input: [" + extents + "]" +
         (are_images ? ", or of pictures in folders spec.data.resize and spec.data.channels" : "");
}

Result<void> checkFit(const TrainingSetup& setup) {
  const model::Network& network = setup.network;
  if (network.isText() != setup.isText()) {
    return invalid(setup.isText()
                       ? "spec.data is text, spec.model is not a text network: it has to "
                         "begin with an embedding"
                       : "spec.model is a text network, spec.data has images");
  }
  if (setup.isText()) {
    if (network.vocabulary() < setup.vocabulary()) {
      return invalid("spec.model knows " + std::to_string(network.vocabulary()) +
                     " words, spec.data has " + std::to_string(setup.vocabulary()) +
                     "; leave spec.model.vocabulary out to take it from the data");
    }
    return {};
  }
  const Images& images = setup.dataset.images;
  if (images.train.shape != network.input) {
    return invalid("spec.model takes " + model::toString(network.input) +
                   " samples, spec.data has " + model::toString(images.train.shape) +
                   remedyFor(images.train, network.input));
  }
  if (auto fits = job::checkClasses(network, images.classes); !fits) return fits;
  if (setup.job.data.augment.isNone() || images.train.arePixels()) return {};
  return invalid(
      "spec.data.augment: only images of bytes, from 0 to 255, are augmented; these samples have "
      "other values: leave it out, or store the pixels as bytes");
}

/// What is wasted on classes that the data do not have; empty if nothing is.
std::string idleOutputsOf(const TrainingSetup& setup) {
  return setup.isText() ? std::string()
                        : job::idleOutputs(setup.network, setup.dataset.images.classes);
}

/// What only workers know of the plan and what fixes the bits.
std::string dataText(const TrainingSetup& setup) {
  std::string text = "data.fingerprint=" + std::to_string(setup.dataset.fingerprint) + "\n";
  if (setup.isText()) {
    return text + "data.trainTokens=" + std::to_string(setup.dataset.text.train.size()) +
           "\nvocabulary=" + std::to_string(setup.vocabulary()) + "\n";
  }
  return text + "data.trainSamples=" + std::to_string(setup.dataset.images.train.count()) + "\n";
}

Result<void> makePlan(TrainingSetup& setup) {
  auto plan = makeJobPlan(setup.job, setup.vocabulary());
  if (!plan) return plan.error();
  setup.network = std::move(plan->network);
  setup.plan = std::move(plan->exchange);
  if (auto fits = checkFit(setup); !fits) return fits;
  const std::string data_lines = dataText(setup);
  setup.plan_text = plan->text + data_lines + "build=" + kVersion + "\n";
  setup.plan_lines = bitsText(setup.job, setup.network) + data_lines;
  setup.plan_hash = hexText(planHash(setup.plan_lines), 16);
  return TrainingBatches::check(setup.dataset, setup.batchOptions());
}

/// Of worker 0: a run whose results cannot be saved is not started. Any worker may have to write at
/// a stop. Returns how this process ends; nothing: it goes on.
std::optional<ProcessEnd> takeFolders(const TrainingSetup& setup, const JobFolders& folders,
                                      const WorkerOptions& options) {
  if (options.index != 0) return std::nullopt;
  if (auto checked = requireFolders(folders, {"--checkpoint", "--output"}); !checked)
    return endOf(checked.error(), ExitCode::kFailed);
  // Nobody of this attempt writes before worker 0 has joined.
  if (!folders.checkpoints.empty())
    checkpoint::removeUnfinishedOf(folders.checkpoints, setup.checkpoint_owner);
  if (auto claimed = claimOutput(folders, options.job_namespace, setup.job.name); !claimed)
    return endOf(claimed.error(), ExitCode::kBadConfiguration);
  return std::nullopt;
}

/// How the job of a checkpoint differs from this one. Earlier versions kept the hash alone.
std::string differencesFrom(const TrainingSetup& setup, const std::string& plan_hash,
                            const std::string& plan_lines) {
  if (hexText(planHash(plan_lines), 16) == plan_hash) {
    auto text =
        planDifference(plan_lines, setup.plan_lines, "this job", /*all=*/true, "the checkpoint");
    if (!text.empty()) return text;
  }
  return "metadata.name, spec.model, spec.data and what fixes the bits in spec.training (such as "
         "batchSize, logicalWorkers, seed and optimizer) must be as they were; or an earlier "
         "version "
         "of Sumac, which included spec.data.path, wrote it";
}

/// Before the tensors are read: of another network they would only be said to be missing.
Result<void> checkOrigin(const TrainingSetup& setup, Step step, const checkpoint::Origin& origin) {
  const bool has_our_number = origin.numerics.ends_with("/" + std::to_string(kNumerics));
  // Another number makes another hash too: TrainingState tells that.
  if (has_our_number) {
    if (auto fits = checkPlanHash(setup, step, origin.plan_hash, origin.plan_lines); !fits)
      return fits;
  }
  return checkKernels(setup.job.training.kernels, step, origin.numerics);
}

/// Finds the state to resume from, if there is one, and reads it where this worker may be the one
/// that resumes from the file. Whether all of a checkpoint is whole, only worker 0 looks then.
Result<void> readNewestCheckpoint(TrainingSetup& setup, const Log& log) {
  if (setup.checkpoint_folder.empty()) return {};
  const auto& folder = setup.checkpoint_folder;
  const bool reads = !setup.changes || setup.index == 0;
  std::vector<std::string> warnings;
  const auto step =
      checkpoint::newest(folder, warnings, setup.plan_hash,
                         reads ? checkpoint::Reads::kFiles : checkpoint::Reads::kManifests);
  for (const auto& warning : warnings)
    log.warn("checkpoint skipped", {{"error", warning}});
  if (!step) return step.error();
  if (!*step) return {};
  auto origin = checkpoint::originOf(folder, **step, setup.plan_hash);
  if (!origin) return origin.error();
  if (auto fits = checkOrigin(setup, **step, *origin); !fits) return fits;
  setup.newest = *std::move(origin);
  setup.newest_step = **step;
  if (!reads) return {};
  auto state = checkpoint::restore(folder, setup.network, **step, nullptr, setup.plan_hash);
  if (!state) return state.error();
  setup.newest_state = std::move(*state);
  return {};
}

}  // namespace

TrainingBatches::Options TrainingSetup::batchOptions() const {
  return {.batch_size = job.training.batch_size,
          .parts = job.training.logical_workers,
          .unroll = isText() ? static_cast<int>(network.input.front()) : 1,
          .seed = job.training.seed,
          .augment = job.data.augment};
}

Step TrainingSetup::totalSteps() const {
  if (job.training.steps) return *job.training.steps;
  return *job.training.epochs * TrainingBatches(dataset, batchOptions()).stepsPerEpoch();
}

std::variant<TrainingSetup, ProcessEnd> prepareTraining(const WorkerOptions& options,
                                                        job::TrainingJob job, const Log& log) {
  TrainingSetup setup;
  const auto end = [](const Error& error) { return endOf(error, ExitCode::kBadConfiguration); };
  setup.job = std::move(job);
  const auto most = mostMembers(setup.job, options.is_elastic);
  if (const int workers = most ? most->workers : setup.job.worker.replicas;
      options.index >= workers) {
    return end(
        invalid("--index " + std::to_string(options.index) + " is not below " +
                (most ? "the most workers that this job may have, " : "spec.worker.replicas, ") +
                std::to_string(workers)));
  }
  setup.index = options.index;
  setup.output_folder = options.output_folder;
  setup.writes_tensorboard = setup.job.writes_tensorboard.value_or(options.writes_tensorboard);
  setup.emulation = options.emulation;
  setup.checkpoint_folder = options.checkpoint_folder;
  setup.checkpoint_owner = checkpointOwnerOf(options.job_uid);
  setup.changes = most.has_value();
  setup.job_uid = options.job_uid;
  setup.attempt = attemptNumberOf(options.attempt);
  const JobFolders folders{setup.checkpoint_folder, setup.output_folder, setup.job_uid,
                           setup.attempt};
  if (auto end_of_folders = takeFolders(setup, folders, options); end_of_folders)
    return *std::move(end_of_folders);
  if (setup.changes) setup.volume = volumeOf(folders);
  if (const auto network = job::networkSpecOf(setup.job); !network) return end(network.error());
  auto dataset = loadDataset(
      setup.job.data, {.data_folder = options.data_folder,
                       .seed = setup.job.training.seed,
                       .threads = automaticThreads(usableProcessors(), options.local_workers),
                       .packed = options.packed_data});
  if (!dataset) return end(dataset.error());
  setup.dataset = std::move(*dataset);
  if (options.index == 0 && !setup.dataset.warning.empty()) log.warn(setup.dataset.warning, {});
  if (auto made = makePlan(setup); !made) return end(made.error());
  if (const auto idle = idleOutputsOf(setup); options.index == 0 && !idle.empty())
    log.warn(idle, {});
  if (auto read = readNewestCheckpoint(setup, log); !read) {
    return isDamage(read.error()) ? ProcessEnd{ExitCode::kFailed, read.error().message}
                                  : end(read.error());
  }
  return setup;
}

Result<std::vector<std::string>> offeredKernels(const WorkerOptions& options,
                                                const TrainingSetup& setup) {
  const auto available = availableKernelVariants(options.kernels);
  if (!available) return available.error();
  std::string wanted(nameOf(setup.job.training.kernels));
  if (setup.newest) wanted = variantIn(setup.newest->numerics);
  std::vector<std::string> offered;
  for (const KernelVariant variant : *available) {
    if (wanted.empty() || toString(variant) == wanted) offered.emplace_back(toString(variant));
  }
  if (offered.empty()) {
    return Error{ErrorCode::kUnsupported, "this machine cannot compute with the " + wanted +
                                              " kernels that the job or its checkpoint needs"};
  }
  return offered;
}

Result<void> checkPlanHash(const TrainingSetup& setup, Step step, const std::string& plan_hash,
                           const std::string& plan_lines) {
  if (plan_hash == setup.plan_hash) return {};
  return Error{
      ErrorCode::kConflict,
      "the checkpoint of step " + std::to_string(step) + " in " + setup.checkpoint_folder.string() +
          " is of another job or other data: " + differencesFrom(setup, plan_hash, plan_lines) +
          "; give this job a folder of its own, remove the folder, "
          "or resume with the job, data and Sumac it was made with"};
}

std::string numericsId(KernelVariant variant) {
  return std::string(toString(variant)) + "/" + std::to_string(kNumerics);
}

}  // namespace sumac::worker
