#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/core/result.h"

namespace sumac {

/// A numeric address to listen at or connect to: host names are not looked up. A value type.
struct Address {
  std::string host;  // "127.0.0.1" or "fd00::1", never in brackets
  std::uint16_t port = 0;

  /// "127.0.0.1:7071", "[fd00::1]:7071".
  std::string text() const;

  bool operator==(const Address&) const = default;
};

/// Reads HOST:PORT. The last colon separates the two, so that "$(SUMAC_POD_IP):7071" works for IPv6
/// too, with and without brackets; an empty host means all addresses of the machine, "::". Fails
/// with kInvalid and a message that shows the form.
Result<Address> parseAddress(std::string_view text);

}  // namespace sumac
