#include <nlohmann/json.hpp>

#include "operator/trainingjob/children/child_meta.h"
#include "operator/trainingjob/children/children.h"
#include "operator/trainingjob/state/names.h"

namespace sumac::trainingjob {

using nlohmann::json;

json makeConfigMap(const api::TrainingJob& job, const JobRecord& record) {
  const std::string name = childName(job.meta.key.name, job.meta.uid, Child::kConfigMap);
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", childMeta(job, name)},
          {"immutable", true},
          {"data", recordToData(record)}};
}

}  // namespace sumac::trainingjob
