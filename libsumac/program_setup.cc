#include "libsumac/program_setup.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/units.h"
#include "base/core/version.h"
#include "exchange/course/job_folders.h"
#include "exchange/membership/join_request.h"
#include "exchange/membership/most_members.h"
#include "exchange/plan/numerics.h"
#include "exchange/plan/plan_text.h"
#include "job/document/program_code.h"

namespace sumac::program {
namespace {

constexpr std::size_t kMostLines = 64UL * 1024;

Error invalid(const std::string& message) {
  return Error{ErrorCode::kInvalid, message};
}

/// The declared lines among those of the job, where neither has a key of the other.
std::string declaredText(const Declaration& declared) {
  std::string text = "program.values=" + std::to_string(declared.values) +
                     "\ndata.trainSamples=" + std::to_string(declared.samples) + "\n";
  std::string_view rest = declared.lines;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    text += "declared." + std::string(rest.substr(0, end)) + "\n";
    rest.remove_prefix(end + 1);
  }
  return text;
}

Result<void> checkDeclared(const ProgramSetup& setup) {
  const auto& training = setup.settings.job.training;
  const Declaration& declared = setup.declared;
  if (declared.samples < training.batch_size) {
    return invalid("the program has " + std::to_string(declared.samples) +
                   " training samples, fewer than a mini-batch of " +
                   std::to_string(training.batch_size) +
                   "; give it more data, or lower spec.training.batchSize");
  }
  return {};
}

Result<void> makePlan(ProgramSetup& setup) {
  const job::TrainingJob& job = setup.settings.job;
  setup.job = setupOf(job, setup.settings.is_elastic);
  setup.job.limits.flapping = std::chrono::seconds(setup.settings.flapping_seconds);
  auto plan = setup.job.plan_of(setup.declared.values);
  if (!plan) return plan.error();
  setup.plan = std::move(plan->exchange);
  const std::string declared = declaredText(setup.declared);
  setup.plan_text = plan->text + declared + "build=" + kVersion + "\n";
  setup.plan_lines = bitsText(job, {}) + declared;
  setup.plan_hash = hexText(planHash(setup.plan_lines), 16);
  return {};
}

/// Fails before the training if its results cannot be saved.
Result<void> takeFolders(const ProgramSetup& setup, const worker::JobFolders& folders) {
  const Settings& settings = setup.settings;
  if (settings.index != 0) return {};
  auto checked = worker::requireFolders(folders, {"SUMAC_CHECKPOINT", "SUMAC_OUTPUT"});
  if (!checked) return checked;
  if (!folders.checkpoints.empty())
    checkpoint::removeUnfinishedOf(folders.checkpoints, setup.checkpoint_owner);
  return worker::claimOutput(folders, settings.job_namespace, settings.job.name);
}

Error ofAnotherJob(const ProgramSetup& setup, Step step, const checkpoint::Origin& origin) {
  std::string difference;
  if (hexText(planHash(origin.plan_lines), 16) == origin.plan_hash)
    difference = planDifference(origin.plan_lines, setup.plan_lines, "this job", /*all=*/true,
                                "the checkpoint");
  return Error{ErrorCode::kConflict,
               "the checkpoint of step " + std::to_string(step) + " in " +
                   setup.settings.checkpoint_folder + " is of another job, program or data" +
                   (difference.empty() ? std::string() : ": " + difference) +
                   "; give this job a folder of its own, remove the folder, or resume with the "
                   "job, program, data and Sumac it was made with"};
}

/// Where members change, only worker 0 looks whether the files are whole.
Result<void> findNewest(ProgramSetup& setup, const Log& log) {
  const std::string& folder = setup.settings.checkpoint_folder;
  if (folder.empty()) return {};
  const bool reads = !setup.changes || setup.settings.index == 0;
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
  if (origin->plan_hash != setup.plan_hash) return ofAnotherJob(setup, **step, *origin);
  setup.newest = *std::move(origin);
  setup.newest_step = **step;
  return {};
}

}  // namespace

Result<void> checkLines(const std::string& lines) {
  if (lines.size() > kMostLines) return invalid("the declared lines have more than 64 KiB");
  std::string_view rest = lines;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    if (end == rest.npos) return invalid("the last declared line has no line feed at its end");
    const std::string_view line = rest.substr(0, end);
    const std::string_view key = line.substr(0, line.find('='));
    const bool is_key =
        !key.empty() && key.size() < line.size() && std::ranges::all_of(key, [](char letter) {
          return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '.' ||
                 letter == '-' || letter == '_';
        });
    if (!is_key) return invalid("a declared line is not \"key=value\": " + std::string(line));
    rest.remove_prefix(end + 1);
  }
  return {};
}

Result<ProgramSetup> prepareProgram(Settings settings, Declaration declared, const Log& log) {
  ProgramSetup setup;
  setup.settings = std::move(settings);
  setup.declared = std::move(declared);
  const job::TrainingJob& job = setup.settings.job;
  const auto most = mostMembers(job, setup.settings.is_elastic);
  const int workers = most ? most->workers : job.worker.replicas;
  if (setup.settings.index >= workers) {
    return invalid("SUMAC_INDEX " + std::to_string(setup.settings.index) +
                   " is not below the number of workers, " + std::to_string(workers));
  }
  setup.changes = most.has_value();
  setup.attempt = worker::attemptNumberOf(setup.settings.attempt);
  setup.checkpoint_owner = worker::checkpointOwnerOf(setup.settings.job_uid);
  if (job.program->code) {
    if (auto checked = job::checkCode(*job.program->code, setup.settings.code_folder); !checked)
      return checked.error().within("worker " + std::to_string(setup.settings.index));
  }
  if (auto checked = checkDeclared(setup); !checked) return checked.error();
  if (auto made = makePlan(setup); !made) return made.error();
  setup.steps_per_epoch = setup.declared.samples / job.training.batch_size;
  setup.total_steps =
      job.training.steps ? *job.training.steps : *job.training.epochs * setup.steps_per_epoch;
  const worker::JobFolders folders{setup.settings.checkpoint_folder, setup.settings.output_folder,
                                   setup.settings.job_uid, setup.attempt};
  if (auto taken = takeFolders(setup, folders); !taken) return taken.error();
  if (setup.changes) setup.volume = worker::volumeOf(folders);
  if (auto found = findNewest(setup, log); !found) return found.error();
  if (setup.newest_step > setup.total_steps) {
    return Error{ErrorCode::kConflict,
                 "the newest checkpoint is of step " + std::to_string(setup.newest_step) +
                     ", beyond the job's " + std::to_string(setup.total_steps) +
                     " steps; raise spec.training.steps or epochs, or choose another folder"};
  }
  return setup;
}

std::string programNumerics() {
  return "baseline/" + std::to_string(kNumerics);
}

}  // namespace sumac::program
