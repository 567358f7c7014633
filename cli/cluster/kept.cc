#include "cli/cluster/kept.h"

#include <nlohmann/json.hpp>

#include "job/document/job.h"
#include "kube/api/members.h"
#include "kube/api/storage.h"

namespace sumac::cli {
namespace {

using Json = nlohmann::json;

/// "--set checkpoint.path=/checkpoints --set checkpoint.volume...": what to add for one section.
std::string howToKeep(const std::string& section, const std::string& path) {
  return "Set spec." + section + ".path and a volume, for example --set " + section +
         ".path=" + path + " --set " + section + ".volume.persistentVolumeClaim.claimName=CLAIM";
}

bool isGiven(const Json& document, const char* section) {
  return api::memberOf(api::memberOf(document, "spec"), section).is_object();
}

}  // namespace

Kept keptBy(const Json& document) {
  const Json& worker = api::memberOf(api::memberOf(document, "spec"), "worker");
  const Json& pod_template = api::memberOf(worker, "template");
  return {.checkpoints = api::outlivesPod(document, "checkpoint", pod_template),
          .model = api::outlivesPod(document, "output", pod_template)};
}

Kept keptBy(const api::TrainingJob& job) {
  return keptBy(*job.document);
}

bool changesInPlace(const api::TrainingJob& job) {
  const job::Reading reading = job::readJob(job.document, "", {}, /*needs_to_run=*/false);
  return reading.job && reading.job->canChangeMembers();
}

std::vector<std::string> lossWarnings(const Json& document, bool changes_in_place) {
  std::vector<std::string> warnings;
  const Kept kept = keptBy(document);
  if (!kept.model) {
    const char* const what =
        isGiven(document, "output")
            ? "the trained model is deleted with its pod: spec.output has no volume that outlives "
              "the pod. "
            : "the trained model is not kept: there is no spec.output. ";
    warnings.push_back(what + howToKeep("output", "/output"));
  }
  if (!kept.checkpoints) {
    const char* const what =
        isGiven(document, "checkpoint")
            ? "checkpoints are deleted with their pod: spec.checkpoint has no volume that outlives "
              "the pod. "
            : "no checkpoints are written: there is no spec.checkpoint. ";
    const char* const when = changes_in_place
                                 ? "After a suspend, or where all workers fail at once, "
                                 : "After a failure, suspend or scale, ";
    warnings.push_back(std::string(what) + when + "training starts again at step 0. " +
                       howToKeep("checkpoint", "/checkpoints"));
  }
  return warnings;
}

std::string restartWarning(const api::TrainingJob& job, const std::string& what) {
  const bool has_begun = job.status.start_time || job.status.progress;
  if (job.suspend || !has_begun || keptBy(job).checkpoints) return {};
  std::string text = what + " the job " + job.meta.key.name + " loses its progress";
  if (const auto& progress = job.status.progress) {
    text += " (step " + std::to_string(progress->step) + " of " +
            std::to_string(progress->total_steps) + ")";
  }
  return text +
         ": no checkpoint outlives its pods, so training starts again at step 0. Give the next job "
         "a spec.checkpoint with a volume";
}

}  // namespace sumac::cli
