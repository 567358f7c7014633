#include "cli/experiment/cell_object.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/core/bytes.h"
#include "base/core/sha256.h"
#include "base/process/member_flags.h"
#include "kube/api/labels.h"

namespace sumac::cli {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kFolderDigits = 10;
constexpr std::int64_t kLongestPending =
    600;  // seconds until a cell that nothing starts has failed
constexpr const char* kCheckpointVolume = "/spec/checkpoint/volume";
constexpr const char* kStandardOutput = "1";
constexpr const char* kStepTimes =
    "/tmp/step-times";  // in the pod: /tmp is writable in all of them

/// The map `name` of a map, which is made where it is missing.
Json& mapIn(Json& object, const char* name) {
  Json& value = object[name];
  if (!value.is_object()) value = Json::object();
  return value;
}

/// The pod template of a role.
Json& templateOf(Json& job, const char* role) {
  return mapIn(mapIn(mapIn(job, "spec"), role), "template");
}

/// Templates are checked by the cluster only: a name may be anything.
bool isNamed(const Json& object, std::string_view name) {
  if (!object.is_object()) return false;
  const auto found = object.find("name");
  return found != object.end() && found->is_string() && found->get<std::string>() == name;
}

/// The main container in a role's template, which is made where it is missing.
Json& mainContainer(Json& job, const char* role) {
  Json& containers = mapIn(templateOf(job, role), "spec")["containers"];
  if (!containers.is_array()) containers = Json::array();
  for (Json& container : containers) {
    if (isNamed(container, api::kMainContainer)) return container;
  }
  containers.push_back({{"name", api::kMainContainer}});
  return containers.back();
}

/// Sets a variable of the main container in a role's template; one that is there stays.
void setVariable(Json& job, const char* role, const char* name, const std::string& value) {
  Json& variables = mainContainer(job, role)["env"];
  if (!variables.is_array()) variables = Json::array();
  for (const Json& variable : variables) {
    if (isNamed(variable, name)) return;
  }
  variables.push_back({{"name", name}, {"value", value}});
}

/// What a HorizontalPodAutoscaler counts the use of processors in, and what it begins with.
void prepareForAutoscaler(Json& job, const experiment::Cell& cell) {
  const auto& hpa = *cell.conditions.hpa;
  mapIn(mapIn(job, "spec"), "worker")["replicas"] = workersOf(cell).first;
  const double cores =
      hpa.cpu_request > 0 ? hpa.cpu_request : std::max(1, cell.job.training.threads);
  constexpr double kMillis = 1'000;
  Json& requests = mapIn(mapIn(mainContainer(job, "worker"), "resources"), "requests");
  const bool is_asked_for = hpa.cpu_request > 0 || !requests.contains("cpu");
  if (is_asked_for)
    requests["cpu"] = std::to_string(std::max(1L, std::lround(kMillis * cores))) + "m";
}

/// What network plugins with the bandwidth capability limit a pod's link to.
void setLinkRate(Json& job, const char* role, std::int64_t bits_per_second) {
  Json& annotations = mapIn(mapIn(templateOf(job, role), "metadata"), "annotations");
  for (const char* const way :
       {"kubernetes.io/ingress-bandwidth", "kubernetes.io/egress-bandwidth"})
    annotations[way] = std::to_string(bits_per_second);
}

/// Workers measure in their own pod what computing takes, before they wait for that long.
void emulate(Json& job, const experiment::Conditions& conditions) {
  setVariable(job, "worker", member_flags::kEmulateCompute.variable, kStepTimes);
  setVariable(job, "worker", member_flags::kSlowdown.variable, std::to_string(conditions.slowdown));
}

/// The folder of the checkpoint's volume in which this run's checkpoints are.
void setCheckpointFolder(Json& job, const std::string& folder) {
  const Json::json_pointer volume(kCheckpointVolume);
  if (!job.contains(volume) || !job.at(volume).is_object()) return;
  const std::string above = job.at(volume).value("subPath", "");
  job.at(volume)["subPath"] = above + (above.empty() ? "" : "/") + folder;
}

Json labelsOf(const ExperimentMark& mark, experiment::RunId run) {
  return {{kExperimentLabel, mark.experiment},
          {kFolderLabel, mark.folder},
          {kCellLabel, std::to_string(run.cell)},
          {kRepetitionLabel, std::to_string(run.repetition)}};
}

}  // namespace

ExperimentMark ExperimentMark::of(const std::string& experiment, const std::string& jobs,
                                  const std::string& host, const std::string& folder) {
  const std::string all = jobs + "\n" + host + "\n" + folder;
  return {experiment, sha256Hex(asBytes(all)).substr(0, kFolderDigits)};
}

std::string jobNameOf(const ExperimentMark& mark, experiment::RunId run) {
  constexpr std::size_t kLongest = 50;
  const std::string end =
      "-" + mark.folder + "-" + std::to_string(run.cell) + "-" + std::to_string(run.repetition);
  return mark.experiment.substr(0, kLongest - end.size()) + end;
}

nlohmann::json jobObjectOf(const ExperimentMark& mark, experiment::RunId run,
                           const experiment::Cell& cell, const std::string& unique) {
  Json job = *cell.document;
  job.erase("status");
  Json metadata{{"name", jobNameOf(mark, run)}, {"labels", labelsOf(mark, run)}};
  job["metadata"] = std::move(metadata);
  Json& policy = mapIn(mapIn(job, "spec"), "runPolicy");
  policy["cleanPodPolicy"] = "None";
  if (!policy.contains("backoffLimit")) policy["backoffLimit"] = 0;
  if (!policy.contains("preRunningDeadlineSeconds"))
    policy["preRunningDeadlineSeconds"] = kLongestPending;
  // The script says when: the operator's pause between two changes is for autoscalers.
  const bool is_elastic = job.contains(Json::json_pointer("/spec/worker/minReplicas"));
  if (is_elastic && !policy.contains("scaleCoolDownSeconds")) policy["scaleCoolDownSeconds"] = 0;
  setCheckpointFolder(job, jobNameOf(mark, run) + "-" + unique);
  if (cell.is_reseeded)
    mapIn(mapIn(job, "spec"), "training")["seed"] = seedOf(cell, run.repetition);
  if (cell.conditions.hpa) prepareForAutoscaler(job, cell);
  if (cell.conditions.is_emulated) emulate(job, cell.conditions);
  const bool has_servers = cell.job.strategy.hasServers();
  setVariable(job, has_servers ? "server" : "worker", member_flags::kProgressFd.variable,
              kStandardOutput);
  if (const auto rate = cell.conditions.link_bits_per_second) {
    setLinkRate(job, "worker", *rate);
    if (has_servers) setLinkRate(job, "server", *rate);
  }
  return job;
}

std::string checkpointFolderOf(const nlohmann::json& job) {
  const Json::json_pointer folder(std::string(kCheckpointVolume) + "/subPath");
  return job.contains(folder) && job.at(folder).is_string() ? job.at(folder).get<std::string>()
                                                            : std::string();
}

}  // namespace sumac::cli
