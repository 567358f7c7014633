#pragma once

#include <optional>
#include <string>

namespace sumac::cli {

/// The cores that a resolved job's own pod template gives its workers: limits.cpu of the container
/// `sumac`. Nothing where it gives none, or none that is a number.
std::optional<double> workerCpuLimit(const std::string& resolved);

}  // namespace sumac::cli
