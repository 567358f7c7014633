#include "cli/plan/completed_job.h"

#include <cmath>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "base/core/text.h"
#include "base/core/units.h"
#include "base/report/text.h"
#include "cli/document/worker_limit.h"
#include "cli/plan/member_resources.h"
#include "job/document/yaml_writer.h"
#include "planner/advice/memory_needs.h"
#include "planner/report/sentences.h"

namespace sumac::cli {
namespace {

using Json = nlohmann::ordered_json;

/// A sentence as comment lines of at most 100 characters, whatever it contains.
std::string comment(const std::string& sentence) {
  constexpr int kWidth = 98;
  std::string text = "# ";
  for (const char c : report::wrapped(printable(sentence), kWidth, 2))
    text += c == '\n' ? std::string("\n# ") : std::string(1, c);
  return text + "\n";
}

/// The main container of a role, which is made where the job has none. Nothing where the document
/// has something else in its place.
Json* mainContainer(Json& role) {
  Json& spec = role["template"]["spec"];
  if (!spec.is_null() && !spec.is_object()) return nullptr;
  Json& containers = spec["containers"];
  if (containers.is_null()) containers = Json::array();
  if (!containers.is_array()) return nullptr;
  constexpr const char* kMain = "sumac";
  for (Json& container : containers) {
    if (container.is_object() && container.value("name", "") == kMain) return &container;
  }
  containers.push_back({{"name", kMain}});
  return &containers.back();
}

/// Without a limit of CPU: nothing slows a member down while the node has cores to spare.
void addResources(Json& role, const MemberResources& wanted) {
  Json* const container = mainContainer(role);
  if (container == nullptr || container->contains("resources")) return;
  Json& resources = (*container)["resources"];
  resources["requests"] = {{"cpu", wanted.cpu}, {"memory", wanted.memory}};
  if (!wanted.memory_limit.empty()) resources["limits"] = {{"memory", wanted.memory_limit}};
}

/// Steps rather than epochs for another mini-batch: an epoch drops what does not fill one, so that
/// epochs would be fewer steps than planned.
void setTraining(Json& training, const planner::AdviceQuestion& question,
                 const planner::Advice& advice, const planner::Configuration& one) {
  training["logicalWorkers"] = one.choice.logical_workers;
  if (question.job.training.threads == 0) training["threads"] = advice.taken().threads;
  if (one.choice.batch == advice.job_batch) return;
  training["batchSize"] = one.choice.batch;
  training.erase("epochs");
  training["steps"] = one.steps;
}

void setStrategy(Json& spec, const planner::JobChoice& choice) {
  Json& strategy = spec["strategy"];
  const bool has_all_reduce = isAllReduce(choice.method);
  strategy["exchange"] = has_all_reduce ? "allReduce" : "parameterServer";
  strategy[has_all_reduce ? "algorithm" : "topology"] = toString(choice.method);
  strategy.erase(has_all_reduce ? "topology" : "algorithm");
  strategy["codec"] = toString(choice.codec);
  if (choice.servers == 0) {
    spec.erase("server");
  } else {
    spec["server"]["replicas"] = choice.servers;
  }
}

/// What to know before submitting the job: the rules of its resources, and the plan's notes.
std::string comments(const Json& document, const job::TrainingJob& job,
                     const planner::AdviceQuestion& question, const planner::Advice& advice,
                     const std::string& command) {
  const planner::Configuration& one = advice.taken();
  std::string text = comment("By " + command);
  text += comment(predictionText(advice, one) + ", with " + placeText(advice.place) + ".");
  if (question.place == planner::Placement::kMachines && one.choice.members() > 1) {
    text += comment(
        "note: Nothing here keeps members on machines of their own: add a nodeSelector and a "
        "podAntiAffinity to the templates where nodes have room for several.");
  }
  for (const std::string& note : resourceNotes(question))
    text += comment(note);
  const std::string planned = "the plan is for " + counted(one.choice.workers, "worker") + ".";
  if (job.autoscaling) {
    text += comment(
        "note: spec.autoscaling stays, so that the job begins with worker.minReplicas and chooses "
        "its number of workers itself; " +
        planned);
  } else if (job.worker.min_replicas || job.worker.max_replicas) {
    text += comment("note: worker.minReplicas and maxReplicas are left out: " + planned);
  }
  if (one.choice.batch != advice.job_batch) {
    text += comment(
        "note: The learning rate stays as written, and so do schedule, evaluations and "
        "checkpoints, which count epochs or steps.");
  }
  for (const planner::Note& note : advice.notes) {
    if (note.kind != planner::NoteKind::kFewWorkers)
      text += comment("note: " + noteText(advice, note));
  }
  // The limit that stands in the document may be another than the machine's.
  const auto limit = workerMemoryLimit(document);
  const auto few = limit ? fewWorkersNote(question, one.choice, std::llround(*limit))
                         : std::optional<planner::Note>();
  return few ? text + comment("note: " + noteText(advice, *few)) : text;
}

}  // namespace

Result<std::string> completedJob(const job::Reading& reading,
                                 const planner::AdviceQuestion& question,
                                 const planner::Advice& advice, const std::string& command) {
  Json document = *reading.document;
  if (!document.is_object() || !document["spec"].is_object())
    return Error{ErrorCode::kInvalid, "the job's document cannot be completed: it has no spec"};
  const planner::Configuration& one = advice.taken();
  Json& spec = document["spec"];
  setTraining(spec["training"], question, advice, one);
  setStrategy(spec, one.choice);
  Json& worker = spec["worker"];
  worker["replicas"] = one.choice.workers;
  if (!spec.contains("autoscaling")) {
    worker.erase("minReplicas");
    worker.erase("maxReplicas");
  }
  addResources(worker, workerResources(question, advice));
  if (one.choice.servers > 0) addResources(spec["server"], serverResources(question, advice));
  return comments(document, *reading.job, question, advice, command) + job::toYaml(document);
}

}  // namespace sumac::cli
