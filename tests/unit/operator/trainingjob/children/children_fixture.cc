#include "tests/unit/operator/trainingjob/children/children_fixture.h"

#include <stdexcept>

#include "operator/trainingjob/state/names.h"
#include "tests/support/golden.h"

namespace sumac::trainingjob {

using nlohmann::json;

api::TrainingJob jobOf(json manifest) {
  manifest["metadata"]["uid"] = "0123456789ab";
  const auto job = api::jobFromJson(manifest);
  if (!job) throw std::runtime_error(job.error().message);
  return *job;
}

Defaults someDefaults() {
  Defaults defaults;
  defaults.worker_image = "sumac-worker:1";
  defaults.server_image = "sumac-server:1";
  defaults.operator_namespace = "sumac-system";
  return defaults;
}

JobRecord recordOf(const api::TrainingJob& job, const Defaults& defaults) {
  auto made = makeRecord(job, defaults);
  if (!made.record) throw std::runtime_error(made.problem->message);
  return *std::move(made.record);
}

json podOf(const json& manifest, Slot slot, const Defaults& defaults) {
  const api::TrainingJob job = jobOf(manifest);
  auto pod = makePod(job, recordOf(job, defaults), {slot, 0, job.worker_replicas});
  if (!pod) throw std::runtime_error(pod.error().message);
  return *std::move(pod);
}

void checkObject(const std::string& name, const json& object) {
  test::checkGolden("operator/children/" + name + ".json", object.dump(2) + "\n");
}

const json& mainOf(const json& pod) {
  for (const json& container : pod["spec"]["containers"]) {
    if (container["name"] == kMainContainer) return container;
  }
  throw std::runtime_error("no main container");
}

json itemIn(const json& list, const char* key, const std::string& value) {
  for (const json& item : list) {
    if (item.value(key, "") == value) return item;
  }
  return {};
}

std::string variableOf(const json& pod, const std::string& name) {
  const json variable = itemIn(mainOf(pod)["env"], "name", name);
  return variable.is_null() ? "" : variable.value("value", "(from somewhere)");
}

}  // namespace sumac::trainingjob
