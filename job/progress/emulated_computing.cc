#include "job/progress/emulated_computing.h"

#include <cmath>

#include "base/core/rounded.h"

namespace sumac {
namespace {

bool readInto(double& value, const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number()) return false;
  value = found->get<double>();
  return std::isfinite(value) && value >= 0;
}

}  // namespace

double EmulatedComputing::spread() const {
  return median > 0 ? (upper - lower) / 2 / median : 0;
}

std::optional<EmulatedComputing> emulatedComputingFrom(const nlohmann::json& object) {
  EmulatedComputing computing;
  if (!object.is_object() || !readInto(computing.median, object, "median") ||
      !readInto(computing.lower, object, "lower") || !readInto(computing.upper, object, "upper") ||
      !readInto(computing.waited, object, "waited"))
    return std::nullopt;
  return computing;
}

nlohmann::ordered_json toJson(const EmulatedComputing& computing) {
  return {{"median", rounded(computing.median)},
          {"lower", rounded(computing.lower)},
          {"upper", rounded(computing.upper)},
          {"waited", rounded(computing.waited)}};
}

}  // namespace sumac
