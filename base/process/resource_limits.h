#pragma once

#include <cstdint>

#include "base/core/result.h"

namespace sumac {

/// Lets this process open as many files as the system allows it at most: a connection takes four of
/// them, and a member of a large job has hundreds. Call it once, before the first connection.
void allowMostOpenFiles();

/// Makes sure that a process may open `count` files after allowMostOpenFiles(). Fails with
/// kUnavailable and what to raise. `who` names the process: "this worker".
Result<void> requireOpenFiles(std::int64_t count, const std::string& who);

}  // namespace sumac
