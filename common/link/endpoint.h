#pragma once

#include <string_view>

#include "common/base/result.h"

namespace sumac::link {

/// Checks an endpoint that a command line gave, "tcp://HOST:PORT", to connect to: the host may be a
/// name that does not exist yet. Fails with kInvalid and a message that shows the form.
Result<void> checkEndpoint(std::string_view endpoint);

/// As above, to listen at: port 0 picks one, and the host must be one that others can connect to,
/// as they are told it.
Result<void> checkListenEndpoint(std::string_view endpoint);

}  // namespace sumac::link
