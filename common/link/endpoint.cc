#include "common/link/endpoint.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

namespace sumac::link {
namespace {

constexpr std::string_view kScheme = "tcp://";
constexpr std::array<std::string_view, 4> kEveryAddress = {"*", "0.0.0.0", "[::]", "::"};

struct Parts {
  std::string_view host;
  std::uint16_t port = 0;
};

std::optional<Parts> partsOf(std::string_view endpoint) {
  if (!endpoint.starts_with(kScheme)) return std::nullopt;
  endpoint.remove_prefix(kScheme.size());
  const std::size_t colon = endpoint.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const std::string_view digits = endpoint.substr(colon + 1);
  Parts parts{endpoint.substr(0, colon)};
  const auto [end, failed] =
      std::from_chars(digits.data(), digits.data() + digits.size(), parts.port);
  if (failed != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return parts;
}

Error wrong(std::string_view endpoint, const std::string& why) {
  return {ErrorCode::kInvalid, "\"" + std::string(endpoint) + "\" " + why};
}

constexpr const char* kForm = "is not an endpoint; write tcp://HOST:PORT, as tcp://127.0.0.1:7070";

}  // namespace

Result<void> checkEndpoint(std::string_view endpoint) {
  const auto parts = partsOf(endpoint);
  if (!parts || parts->port == 0) return wrong(endpoint, kForm);
  return {};
}

Result<void> checkListenEndpoint(std::string_view endpoint) {
  const auto parts = partsOf(endpoint);
  if (!parts) return wrong(endpoint, kForm);
  if (std::ranges::find(kEveryAddress, parts->host) != kEveryAddress.end()) {
    return wrong(endpoint, "stands for all addresses; write the one that others can connect to");
  }
  return {};
}

}  // namespace sumac::link
