#include "kube/client/proxy.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sumac::kube {
namespace {

constexpr int kHttpPort = 80;
constexpr int kHttpsPort = 443;
constexpr int kLargestPort = 65535;

std::string lowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

template <typename Number>
std::optional<Number> wholeNumber(std::string_view text, int base, Number largest) {
  Number number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  const bool is_whole = !text.empty() && error == std::errc() && rest == text.data() + text.size();
  return is_whole && number >= 0 && number <= largest ? std::optional(number) : std::nullopt;
}

/// "%40" is "@"; empty: an escape is wrong.
std::optional<std::string> unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    constexpr int kLargestByte = 255;
    const auto byte = i + 2 < text.size()
                          ? wholeNumber<int>(text.substr(i + 1, 2), 16, kLargestByte)
                          : std::nullopt;
    if (!byte) return std::nullopt;
    plain += static_cast<char>(*byte);
    i += 2;
  }
  return plain;
}

struct HostAndPort {
  std::string host;
  int port = 0;
};

std::optional<HostAndPort> hostAndPort(std::string_view text, int usual_port) {
  const auto colon = text.find(':');
  HostAndPort found{lowerCase(text.substr(0, colon)), usual_port};
  if (colon != std::string_view::npos) {
    const auto port = wholeNumber<int>(text.substr(colon + 1), 10, kLargestPort);
    if (!port) return std::nullopt;
    found.port = *port;
  }
  const bool is_host =
      !found.host.empty() && found.host.find_first_of(" \t\r\n\"\\[]?#") == std::string::npos;
  return is_host ? std::optional(found) : std::nullopt;
}

std::optional<std::uint32_t> addressOf(std::string_view text) {
  std::uint32_t address = 0;
  for (int part = 0; part < 4; ++part) {
    const auto dot = text.find('.');
    if ((dot == std::string_view::npos) != (part == 3)) return std::nullopt;
    constexpr int kLargestByte = 255;
    const auto byte = wholeNumber<int>(text.substr(0, dot), 10, kLargestByte);
    if (!byte) return std::nullopt;
    address = (address << 8U) | static_cast<std::uint32_t>(*byte);
    text = dot == std::string_view::npos ? std::string_view() : text.substr(dot + 1);
  }
  return address;
}

/// Whether an IPv4 address lies in "10.0.0.0/8".
bool isInNetwork(std::string_view address, std::string_view network) {
  const auto slash = network.find('/');
  if (slash == std::string_view::npos) return false;
  constexpr int kBits = 32;
  const auto bits = wholeNumber<int>(network.substr(slash + 1), 10, kBits);
  const auto first = addressOf(network.substr(0, slash));
  const auto host = addressOf(address);
  if (!bits || !first || !host) return false;
  const std::uint32_t mask = *bits == 0 ? 0 : ~std::uint32_t{0} << (kBits - *bits);
  return (*host & mask) == (*first & mask);
}

/// Whether one entry of NO_PROXY is about the server: "*", an address, a network, or a domain, of
/// which ".example.com" and "*.example.com" mean only names below it.
bool isAbout(std::string_view entry, const HostAndPort& server) {
  if (entry == "*") return true;
  if (isInNetwork(server.host, entry)) return true;
  const auto named = hostAndPort(entry, server.port);
  if (!named || named->port != server.port) return false;
  std::string_view domain = named->host;
  if (domain.starts_with("*.")) domain.remove_prefix(1);
  if (domain == server.host) return true;
  const bool is_below = domain.starts_with('.');
  return server.host.ends_with(is_below ? std::string(domain) : "." + std::string(domain));
}

bool isExcluded(std::string_view list, const HostAndPort& server) {
  while (!list.empty()) {
    const auto comma = list.find(',');
    std::string_view entry = list.substr(0, comma);
    while (entry.starts_with(' '))
      entry.remove_prefix(1);
    while (entry.ends_with(' '))
      entry.remove_suffix(1);
    if (!entry.empty() && isAbout(lowerCase(entry), server)) return true;
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  }
  return false;
}

bool isThisMachine(const std::string& host) {
  return host == "localhost" || isInNetwork(host, "127.0.0.0/8");
}

struct Variable {
  std::string name;
  std::string value;
};

/// The first of the two that has a value.
Variable firstVariable(const Environment& environment, const char* upper, const char* lower) {
  const std::string value = environment.variable(upper);
  if (!value.empty()) return {upper, value};
  return {lower, environment.variable(lower)};
}

}  // namespace

Result<Proxy> readProxy(const std::string& url) {
  constexpr std::string_view kScheme = "http://";
  const Error wrong{ErrorCode::kInvalid,
                    "must be a proxy as http://proxy.example:3128; proxies that speak TLS or SOCKS "
                    "are not supported"};
  if (!lowerCase(url).starts_with(kScheme)) return wrong;
  std::string_view rest = std::string_view(url).substr(kScheme.size());
  rest = rest.substr(0, rest.find_last_not_of('/') + 1);
  Proxy proxy;
  if (const auto at = rest.rfind('@'); at != std::string_view::npos) {
    const std::string_view login = rest.substr(0, at);
    const auto colon = login.find(':');
    const auto user = unescaped(login.substr(0, colon));
    const auto password =
        unescaped(colon == std::string_view::npos ? std::string_view() : login.substr(colon + 1));
    if (!user || !password) return wrong;
    proxy.user = *user;
    proxy.password = *password;
    rest = rest.substr(at + 1);
  }
  const auto place = hostAndPort(rest, kHttpPort);
  if (!place || place->host.find('/') != std::string::npos) return wrong;
  proxy.host = place->host;
  proxy.port = place->port;
  return proxy;
}

Result<Proxy> proxyFor(const std::string& server, const Environment& environment) {
  const bool is_https = server.starts_with("https://");
  const std::string_view rest = std::string_view(server).substr(server.find("//") + 2);
  const auto place = hostAndPort(rest.substr(0, rest.find('/')), is_https ? kHttpsPort : kHttpPort);
  if (!place || isThisMachine(place->host)) return Proxy{};
  const Variable chosen = is_https ? firstVariable(environment, "HTTPS_PROXY", "https_proxy")
                                   : firstVariable(environment, "HTTP_PROXY", "http_proxy");
  if (chosen.value.empty()) return Proxy{};
  if (isExcluded(firstVariable(environment, "NO_PROXY", "no_proxy").value, *place)) return Proxy{};
  const bool has_scheme = chosen.value.find("://") != std::string::npos;
  auto proxy = readProxy(has_scheme ? chosen.value : "http://" + chosen.value);
  if (!proxy) return proxy.error().within("the variable " + chosen.name);
  return proxy;
}

}  // namespace sumac::kube
