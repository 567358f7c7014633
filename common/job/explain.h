#pragma once

#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/job/field.h"

namespace sumac::job {

/// What `sumac explain PATH` prints about "spec.training.batchSize" (or "training.batchSize", or
/// "trainingjob.spec...."; "" is the whole). Fails with kNotFound and the nearest name.
Result<std::string> explain(std::string_view path);

/// "integer", "map of strings": the type of a field in words.
std::string typeName(const Field& field);

/// What a field may hold, in words: ">= 1, <= 4096", "sgd, nesterov, adam"; "" for anything.
std::string allowed(const Field& field);

/// The default in words; "" when there is none.
std::string defaultOf(const Field& field);

}  // namespace sumac::job
