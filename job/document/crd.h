#pragma once

#include <string>

namespace sumac::job {

/// The CustomResourceDefinition (apiextensions.k8s.io/v1) as YAML, made from the table of fields.
/// The API server then accepts the same documents as readJob(), except for the semantic checks.
std::string crd();

}  // namespace sumac::job
