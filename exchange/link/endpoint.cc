#include "exchange/link/endpoint.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace sumac::link {
namespace {

constexpr std::string_view kScheme = "tcp://";

struct Parts {
  std::string host;  // without brackets
  std::uint16_t port = 0;
};

std::optional<in6_addr> v6Of(const std::string& host) {
  in6_addr address{};
  if (inet_pton(AF_INET6, host.c_str(), &address) != 1) return std::nullopt;
  return address;
}

std::optional<in_addr> v4Of(const std::string& host) {
  in_addr address{};
  if (inet_pton(AF_INET, host.c_str(), &address) != 1) return std::nullopt;
  return address;
}

/// The host without brackets; nothing where it is neither a name nor an address.
std::optional<std::string> hostOf(std::string_view text) {
  const bool is_bracketed = text.starts_with('[') && text.ends_with(']');
  const std::string host(is_bracketed ? text.substr(1, text.size() - 2) : text);
  const bool must_be_v6 = is_bracketed || host.find_first_of("[]:") != std::string::npos;
  if (host.empty() || (must_be_v6 && !v6Of(host))) return std::nullopt;
  return host;
}

std::optional<Parts> partsOf(std::string_view endpoint) {
  if (!endpoint.starts_with(kScheme)) return std::nullopt;
  endpoint.remove_prefix(kScheme.size());
  const std::size_t colon = endpoint.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view digits = endpoint.substr(colon + 1);
  auto host = hostOf(endpoint.substr(0, colon));
  if (!host) return std::nullopt;
  Parts parts{*std::move(host)};
  const auto [end, failed] =
      std::from_chars(digits.data(), digits.data() + digits.size(), parts.port);
  if (failed != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return parts;
}

bool isEveryAddress(const std::string& host) {
  if (host == "*") return true;
  if (const auto v4 = v4Of(host)) return v4->s_addr == INADDR_ANY;
  const auto v6 = v6Of(host);
  return v6 && IN6_IS_ADDR_UNSPECIFIED(&*v6);
}

Error wrong(std::string_view endpoint, const std::string& why) {
  return {ErrorCode::kInvalid, "\"" + std::string(endpoint) + "\" " + why};
}

constexpr const char* kForm =
    "is not an endpoint; write tcp://HOST:PORT, as tcp://127.0.0.1:7070 or tcp://[::1]:7070";

}  // namespace

Result<void> checkEndpoint(std::string_view endpoint) {
  const auto parts = partsOf(endpoint);
  if (!parts || parts->port == 0) return wrong(endpoint, kForm);
  return {};
}

Result<void> checkListenEndpoint(std::string_view endpoint) {
  const auto parts = partsOf(endpoint);
  if (!parts) return wrong(endpoint, kForm);
  if (isEveryAddress(parts->host)) {
    return wrong(endpoint, "stands for all addresses; write the one that others can connect to");
  }
  return {};
}

HostKind hostKind(std::string_view endpoint) {
  const auto parts = partsOf(endpoint);
  if (!parts) return HostKind::kName;
  if (v4Of(parts->host)) return HostKind::kV4;
  return v6Of(parts->host) ? HostKind::kV6 : HostKind::kName;
}

}  // namespace sumac::link
