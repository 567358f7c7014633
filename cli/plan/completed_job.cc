#include "cli/plan/completed_job.h"

#include <cmath>
#include <string>

#include <nlohmann/json.hpp>

#include "common/job/yaml_writer.h"
#include "planner/advice/texts.h"

namespace sumac::cli {
namespace {

using Json = nlohmann::ordered_json;

/// What memory is asked for beyond the computed lower bound: libraries' and the system's buffers.
constexpr double kHeadroom = 1.25;
constexpr std::int64_t kMebi = 1024L * 1024;
constexpr std::int64_t kMemoryStep = 16;  // Mi

std::string memoryQuantity(std::int64_t bytes) {
  const auto wanted = static_cast<std::int64_t>(kHeadroom * static_cast<double>(bytes));
  const std::int64_t step = kMemoryStep * kMebi;
  return std::to_string((wanted + step - 1) / step * kMemoryStep) + "Mi";
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

/// Requests and limits are equal, so that a pod gets what the plan counts on and no more.
void addResources(Json& role, const std::string& cores, std::int64_t bytes) {
  Json* const container = mainContainer(role);
  if (container == nullptr || container->contains("resources")) return;
  const Json amounts = {{"cpu", cores}, {"memory", memoryQuantity(bytes)}};
  (*container)["resources"] = {{"requests", amounts}, {"limits", amounts}};
}

void setTraining(Json& training, const planner::Advice& advice, const planner::Way& way) {
  training["logicalWorkers"] = way.choice.logical_workers;
  if (way.choice.batch == advice.job_batch) return;
  training["batchSize"] = way.choice.batch;
  if (training.contains("epochs")) {
    const auto epochs = training["epochs"].get<double>();
    const double more = way.steps * static_cast<double>(way.choice.batch) /
                        (advice.job_steps * static_cast<double>(advice.job_batch));
    training["epochs"] = std::llround(std::ceil(epochs * more));
  } else {
    training["steps"] = std::llround(std::ceil(way.steps));
  }
}

void setStrategy(Json& spec, const planner::JobChoice& choice) {
  Json& strategy = spec["strategy"];
  const bool has_all_reduce = choice.exchange == job::Exchange::kAllReduce;
  strategy["exchange"] = has_all_reduce ? "allReduce" : "parameterServer";
  strategy[has_all_reduce ? "algorithm" : "topology"] = planner::exchangeName(choice);
  strategy.erase(has_all_reduce ? "topology" : "algorithm");
  strategy["codec"] = toString(choice.codec);
  if (choice.servers == 0) {
    spec.erase("server");
  } else {
    spec["server"]["replicas"] = choice.servers;
  }
}

}  // namespace

Result<std::string> completedJob(const job::Reading& reading, const planner::Advice& advice) {
  Json document = Json::parse(reading.document, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object() || !document["spec"].is_object())
    return Error{ErrorCode::kInvalid, "the job's document cannot be completed: it has no spec"};
  const planner::Way& way = advice.ways.at(*advice.recommended);
  Json& spec = document["spec"];
  setTraining(spec["training"], advice, way);
  setStrategy(spec, way.choice);
  Json& worker = spec["worker"];
  worker["replicas"] = way.choice.workers;
  // The plan is for this number of workers.
  worker.erase("minReplicas");
  worker.erase("maxReplicas");
  addResources(worker, std::to_string(advice.threads), way.memory.worker_bytes);
  if (way.choice.servers > 0) addResources(spec["server"], "1", way.memory.server_bytes);
  return "# " + toString(way.choice) + ": by sumac plan " + planner::durationText(way.seconds) +
         ".\n# Memory is what the members need and a quarter more; a worker's "
         "data set comes on top.\n" +
         job::toYaml(document);
}

}  // namespace sumac::cli
