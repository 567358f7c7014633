#pragma once

#include <string_view>

#include "common/base/result.h"

namespace sumac::link {

/// Checks an endpoint to connect to, "tcp://HOST:PORT", from a command line. The host may be a name
/// that does not exist yet. Fails with kInvalid and a message that shows the form.
Result<void> checkEndpoint(std::string_view endpoint);

/// Checks an endpoint to listen at. Port 0 picks a free port. The host must be an address that
/// others can connect to, because they are given it.
Result<void> checkListenEndpoint(std::string_view endpoint);

}  // namespace sumac::link
