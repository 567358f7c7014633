#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sumac::cli {

/// Where members meet, beside their own places 0, 1, 2 and so on.
inline constexpr int kHub = -1;

/// Lines for `ip -batch` or `tc -batch` in the network namespace of one place.
struct LinkScript {
  int place = kHub;
  std::string program;  // "ip" or "tc"
  std::string lines;
};

/// The address of a member's end of its link: "10.77.0.1" of member 0. No other network sees it.
std::string linkAddress(int member);

/// Connects `members` by a switch: each by a link of its own to a port of the hub, full duplex,
/// with `bits_per_second` each way. A token bucket at each end limits what leaves it. To be carried
/// out in this order. `pathOf` names the namespace of a member for `ip`. Requires 1 to kMostLinks
/// members.
std::vector<LinkScript> linkScripts(int members, std::int64_t bits_per_second,
                                    const std::function<std::string(int member)>& pathOf);

/// Ports that a bridge of Linux has.
inline constexpr int kMostLinks = 1'000;

}  // namespace sumac::cli
