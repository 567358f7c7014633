#pragma once

#include <string_view>

#include "base/core/error.h"
#include "kube/api/fields.h"
#include "kube/api/objects.h"

namespace sumac::api::internal {

/// metadata of `object`; of labels those whose key starts with `prefix`.
ObjectMeta readMeta(const Fields& object, std::string_view prefix = {});

/// What is wrong with an object of `kind`, as an error that names it.
Error refusal(std::string_view kind, const ObjectMeta& meta, const std::string& problem);

}  // namespace sumac::api::internal
