#pragma once

#include <string>

#include "base/core/result.h"

namespace sumac {

/// A new job token: 256 random bits as 64 hexadecimal digits. With it the members of a job know
/// each other's messages, encrypted or not. Fails with kUnavailable when the system has no random
/// bytes.
Result<std::string> makeJobToken();

}  // namespace sumac
