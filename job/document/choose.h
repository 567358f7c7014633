#pragma once

#include <string_view>

#include "base/yaml/node.h"
#include "job/document/field.h"

namespace sumac::job {

/// The value of `field` in the map `self`, an object `of`; else its default, else "".
std::string_view valueOrDefault(const Field& of, const yaml::Node& self, std::string_view field);

/// Whether `field` has a meaning with the values of its siblings (Field::only_with).
bool hasMeaning(const Field& field, const Field& of, const yaml::Node& self);

}  // namespace sumac::job
