#pragma once

#include <string>

namespace sumac::job {

/// The CustomResourceDefinition (apiextensions.k8s.io/v1) as YAML, made from the table of fields:
/// what the API server accepts and refuses is what readJob() does, but for the semantic checks.
std::string crd();

}  // namespace sumac::job
