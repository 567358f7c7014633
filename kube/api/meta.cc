#include "kube/api/meta.h"

#include <nlohmann/json.hpp>

#include "kube/api/json.h"

namespace sumac::api {
namespace internal {

ObjectMeta readMeta(const Fields& object, std::string_view prefix) {
  const Fields fields = object.object("metadata");
  ObjectMeta meta;
  meta.key = {fields.text("namespace"), fields.requiredText("name")};
  meta.uid = fields.requiredText("uid");
  meta.resource_version = fields.text("resourceVersion");
  meta.generation = fields.integer("generation").value_or(0);
  meta.created = fields.time("creationTimestamp");
  meta.deleted = fields.time("deletionTimestamp");
  meta.labels = fields.texts("labels", prefix);
  for (const Fields& owner : fields.objects("ownerReferences")) {
    if (owner.boolean("controller")) meta.controller_uid = owner.text("uid");
  }
  return meta;
}

Error refusal(std::string_view kind, const ObjectMeta& meta, const std::string& problem) {
  const std::string name = meta.key.name.empty() ? "without a name" : meta.key.text();
  return {ErrorCode::kInvalid, std::string(kind) + " " + name + ": " + problem};
}

}  // namespace internal

Result<ObjectMeta> metaFromJson(const nlohmann::json& object) {
  std::string problem;
  const internal::Fields fields(&object, "", problem);
  ObjectMeta meta = internal::readMeta(fields);
  if (problem.empty()) return meta;
  // Of any type: whoever asked knows which.
  return internal::refusal(fields.isPresent() ? "object" : "what should be an object", meta,
                           problem);
}

}  // namespace sumac::api
