#pragma once

#include <string_view>

#include "common/job/field.h"
#include "common/yaml/node.h"

namespace sumac::job {

/// What `field` of the object `of` has in the map `self`, its default included; "" for neither.
std::string_view valueOrDefault(const Field& of, const yaml::Node& self, std::string_view field);

/// Whether the values of its siblings give `field` a meaning.
bool hasMeaning(const Field& field, const Field& of, const yaml::Node& self);

}  // namespace sumac::job
