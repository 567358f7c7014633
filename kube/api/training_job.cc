#include "kube/api/training_job.h"

#include <algorithm>

namespace sumac::api {

const Condition* JobStatus::find(std::string_view type) const {
  const auto found =
      std::find_if(conditions.begin(), conditions.end(),
                   [type](const Condition& condition) { return condition.type == type; });
  return found == conditions.end() ? nullptr : &*found;
}

bool JobStatus::isTrue(std::string_view type) const {
  const Condition* condition = find(type);
  return condition != nullptr && condition->status == ConditionStatus::kTrue;
}

}  // namespace sumac::api
