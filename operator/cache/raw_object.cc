#include "operator/cache/raw_object.h"

#include <nlohmann/json.hpp>

#include "kube/api/members.h"

namespace sumac::cache {

api::ObjectKey keyOfRaw(const nlohmann::json& object) {
  const nlohmann::json& metadata = api::memberOf(object, "metadata");
  return {api::textOf(metadata, "namespace"), api::textOf(metadata, "name")};
}

}  // namespace sumac::cache
