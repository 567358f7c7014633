#pragma once

#include <string>

#include "base/yaml/node.h"
#include "job/document/field.h"
#include "job/document/job.h"
#include "job/document/training_job.h"

namespace sumac::job {

/// Adds the defaults that the API server would set, and removes optional fields that are `null`, as
/// it does. The document may have any shape.
void applySchemaDefaults(yaml::Node& root);

/// The same of another kind of document, whose fields `schema` describes.
void applySchemaDefaults(const Field& schema, yaml::Node& root);

/// Resolves V where the document does not give it (worker.maxReplicas, else worker.replicas), then
/// sets `workers` and `servers` of the command line. Returns the field that V comes from. Leaves
/// wrong values for check() to report.
std::string applyWorkers(yaml::Node& root, const Overrides& overrides);

/// Adds the remaining defaults to a checked document.
void applyResolverDefaults(yaml::Node& root);

/// Makes a relative spec.data.path absolute with `base`, so that the document means the same in
/// every working directory.
void applyBase(yaml::Node& root, const std::filesystem::path& base);

/// Converts a document to a job, except for `model.network`. Requires a checked document with all
/// defaults.
TrainingJob convert(const yaml::Node& root);

}  // namespace sumac::job
