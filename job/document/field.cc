#include "job/document/field.h"

#include "job/document/table_document.h"

namespace sumac::job {

namespace internal {

Field metadataSection() {
  Field field = {
      .name = "metadata",
      .text = "Name and labels, as of every object of Kubernetes.",
      .required = true,
      .fields = {{.name = "name",
                  .type = Type::kString,
                  .text = "Name of the job; its pods are <name>-worker-0 and so on.",
                  .required = true,
                  .pattern = kJobNamePattern,
                  .max_length = 50},
                 {.name = "namespace",
                  .type = Type::kString,
                  .text = "Namespace of the job.",
                  .max_length = 63},
                 {.name = "labels", .type = Type::kStringMap, .text = "Labels."},
                 {.name = "annotations", .type = Type::kStringMap, .text = "Annotations."}}};
  for (const char* of_the_server :
       {"uid", "resourceVersion", "creationTimestamp", "generation", "managedFields",
        "ownerReferences", "finalizers", "selfLink", "deletionTimestamp",
        "deletionGracePeriodSeconds", "generateName"}) {
    field.fields.push_back({.name = of_the_server,
                            .type = Type::kAny,
                            .text = "Of the API server; ignored.",
                            .ignored = true});
  }
  return field;
}

}  // namespace internal

namespace {

Field makeRoot() {
  Field root =
      documentTable("TrainingJob", "A network to train with workers and parameter servers.",
                    internal::metadataSection(), internal::specSection());
  root.fields.push_back(internal::statusSection());
  return root;
}

}  // namespace

bool mustHaveText(const Field& field) {
  return field.required || !field.schema_default.empty();
}

const Field* Field::find(std::string_view child) const {
  for (const Field& field : fields) {
    if (field.name == child) return &field;
  }
  return nullptr;
}

const Field& rootField() {
  static const Field kRoot = makeRoot();
  return kRoot;
}

const Field* fieldAt(std::string_view path) {
  return fieldAt(rootField(), path);
}

const Field* fieldAt(const Field& root, std::string_view path) {
  const Field* at = &root;
  while (at != nullptr && !path.empty()) {
    const auto dot = path.find('.');
    const Field* const of = at->type == Type::kList ? &at->fields.front() : at;
    at = of->find(path.substr(0, dot));
    path = dot == path.npos ? std::string_view() : path.substr(dot + 1);
  }
  return at;
}

std::string choiceList(const Field& field) {
  std::string list;
  for (const Choice& choice : field.choices)
    list += (list.empty() ? "" : ", ") + choice.name;
  return list;
}

}  // namespace sumac::job
