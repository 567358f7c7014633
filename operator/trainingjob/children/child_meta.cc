#include "operator/trainingjob/children/child_meta.h"

#include <nlohmann/json.hpp>

#include "kube/api/labels.h"
#include "operator/trainingjob/state/names.h"

namespace sumac::trainingjob {

using nlohmann::json;

json childLabels(const std::string& job) {
  return {{api::kJobLabel, job},
          {"app.kubernetes.io/name", "sumac"},
          {"app.kubernetes.io/instance", job},
          {"app.kubernetes.io/managed-by", "sumac-operator"}};
}

json childMeta(const api::TrainingJob& job, const std::string& name) {
  const json owner{{"apiVersion", "sumac.dev/v1alpha1"},
                   {"kind", "TrainingJob"},
                   {"name", job.meta.key.name},
                   {"uid", job.meta.uid},
                   {"controller", true},
                   {"blockOwnerDeletion", true}};
  return {{"name", name},
          {"namespace", job.meta.key.name_space},
          {"labels", childLabels(job.meta.key.name)},
          {"ownerReferences", json::array({owner})}};
}

}  // namespace sumac::trainingjob
