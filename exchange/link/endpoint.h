#pragma once

#include <cstdint>
#include <string_view>

#include "base/core/result.h"

namespace sumac::link {

/// Checks an endpoint to connect to, "tcp://HOST:PORT", from a command line. The host may be a name
/// that does not exist yet. An IPv6 address may lack its brackets, so that
/// "tcp://$(SUMAC_POD_IP):7070" works. Fails with kInvalid and a message that shows the form.
Result<void> checkEndpoint(std::string_view endpoint);

/// Checks an endpoint to listen at. Port 0 picks a free port. The host must be an address that
/// others can connect to, because they are given it.
Result<void> checkListenEndpoint(std::string_view endpoint);

enum class HostKind : std::uint8_t { kV4, kV6, kName };

/// What the host of an endpoint is; of an invalid one a name.
HostKind hostKind(std::string_view endpoint);

}  // namespace sumac::link
