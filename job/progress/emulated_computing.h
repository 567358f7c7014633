#pragma once

#include <optional>

#include <nlohmann/json.hpp>

namespace sumac {

/// What a step's computing takes a worker that waits instead: its gradients and the update, in
/// seconds, before a slowdown. A value type.
struct EmulatedComputing {
  double median = 0;
  /// The quartiles: a quarter of the measured steps were shorter, a quarter longer. The median
  /// where a profile says.
  double lower = 0;
  double upper = 0;
  /// Of the time that was measured, the share for which a thread could have run and had no core.
  double waited = 0;

  /// Half the distance of the quartiles, as a share of the median; 0 where that is 0.
  double spread() const;

  bool operator==(const EmulatedComputing&) const = default;
};

/// Returns nothing if `object` is no such object, or a number is negative or not finite.
std::optional<EmulatedComputing> emulatedComputingFrom(const nlohmann::json& object);
nlohmann::ordered_json toJson(const EmulatedComputing& computing);

}  // namespace sumac
