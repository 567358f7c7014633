#include "base/telemetry/address.h"

#include <array>
#include <charconv>
#include <optional>

#include <arpa/inet.h>

namespace sumac {
namespace {

constexpr const char* kAnyHost = "::";  // IPv4 too

bool isNumeric(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

std::string_view withoutBrackets(std::string_view host) {
  const bool has_both = host.size() >= 2 && host.front() == '[' && host.back() == ']';
  return has_both ? host.substr(1, host.size() - 2) : host;
}

std::optional<std::uint16_t> readPort(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return port;
}

}  // namespace

std::string Address::text() const {
  const bool is_v6 = host.find(':') != std::string::npos;
  return (is_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<Address> parseAddress(std::string_view text) {
  const auto fail = [text](const std::string& why) {
    return Error{ErrorCode::kInvalid,
                 "\"" + std::string(text) + "\" is not an address: " + why +
                     "; write HOST:PORT, for example 127.0.0.1:7071 or [::1]:7071"};
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return fail("it has no port");
  const auto port = readPort(text.substr(colon + 1));
  if (!port) return fail("the port must be a number from 0 to 65535");
  Address address{std::string(withoutBrackets(text.substr(0, colon))), *port};
  if (address.host.empty()) address.host = kAnyHost;
  if (!isNumeric(address.host)) return fail("the host must be a numeric IP address");
  return address;
}

}  // namespace sumac
