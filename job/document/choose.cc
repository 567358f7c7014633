#include "job/document/choose.h"

#include <algorithm>

namespace sumac::job {

std::string_view valueOrDefault(const Field& of, const yaml::Node& self, std::string_view field) {
  if (const yaml::Node* const given = self.find(field)) return given->text;
  const Field* const known = of.find(field);
  if (known == nullptr) return {};
  return known->schema_default.empty() ? known->resolver_default : known->schema_default;
}

bool hasMeaning(const Field& field, const Field& of, const yaml::Node& self) {
  if (!field.only_with) return true;
  const std::string_view value = valueOrDefault(of, self, field.only_with->sibling);
  const auto& values = field.only_with->values;
  return std::find(values.begin(), values.end(), value) != values.end();
}

}  // namespace sumac::job
