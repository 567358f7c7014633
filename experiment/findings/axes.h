#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/cells/cells.h"

namespace sumac::experiment {

inline constexpr const char* kWorkersField = "spec.worker.replicas";
inline constexpr const char* kServersField = "spec.server.replicas";

/// Whether a value of an axis is named after the number of replicas to which it sets this field.
bool counts(const Axis& axis, const std::string& name, const char* replicas);

/// The axis that sets the number of workers, and at most how they are set up beside it; nothing
/// where there is none.
std::optional<std::size_t> workerAxis(const std::vector<Axis>& axes);

/// The number of servers that a value sets and is named after; nothing where it is neither.
std::optional<int> serversNamed(const Axis& axis, const std::string& value);

/// How many axes have several values.
std::int64_t variedAxes(const std::vector<Axis>& axes);

/// Whether an axis sets this field of the experiment's own: "link.rate".
bool isVaried(const std::vector<Axis>& axes, std::string_view field);

}  // namespace sumac::experiment
