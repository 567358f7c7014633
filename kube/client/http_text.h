#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "kube/client/transport.h"

namespace sumac::kube {

/// Every byte but letters, digits and "-._~" as %XX.
std::string percentEncoded(std::string_view text);

std::string_view nameOf(Method method);

/// Path and query of a request, encoded.
std::string targetOf(const Request& request);

/// The value of a Retry-After header in seconds, at most two minutes; nothing where it is a date or
/// nonsense.
std::optional<std::chrono::seconds> retryAfterOf(std::string_view value);

/// Printable ASCII only: can stand in a header without making another.
bool isHeaderText(std::string_view text);

/// Whether a host is an IPv4 address in numbers.
bool isIpAddress(std::string_view host);

}  // namespace sumac::kube
