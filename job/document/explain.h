#pragma once

#include <string>
#include <string_view>

#include "base/core/result.h"
#include "job/document/field.h"

namespace sumac::job {

/// What `sumac explain PATH` prints. The path may be "spec.training.batchSize",
/// "training.batchSize" or "trainingjob.spec.training.batchSize"; "" is the whole document. Fails
/// with kNotFound, suggesting the nearest name.
Result<std::string> explain(std::string_view path);

/// The same of another kind of document, whose fields `schema` describes; a path may begin with its
/// name in lower case.
Result<std::string> explain(const Field& schema, std::string_view path);

/// What a field is for, and that it is not available yet where that is so.
std::string descriptionOf(const Field& field);

/// The type of a field in words: "integer", "map of strings".
std::string typeName(const Field& field);

/// The values allowed in a field, in words: ">= 1, <= 4096", "sgd, nesterov, adam"; "" for any.
std::string allowed(const Field& field);

/// The default in words; "" when there is none.
std::string defaultOf(const Field& field);

}  // namespace sumac::job
