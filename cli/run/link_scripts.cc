#include "cli/run/link_scripts.h"

#include <utility>

#include "base/core/check.h"

#include "experiment/document/conditions.h"

namespace sumac::cli {
namespace {

// What waits before a link at most, as in a small switch; the rest is lost, and TCP slows down.
constexpr int kQueueBytes = 1024 * 1024;

// What one connection has on its way at most, in packets of 1,500 bytes. As the queue at a port has
// room for what ten senders have, hardly anything is lost; and what a connection holds back in its
// sender's memory, which grows with this, stays small: a heartbeat behind it must not come seconds
// late on a slow link.
constexpr int kWindowPackets = 64;

constexpr int kOctet = 256;

std::string portOf(int member) {
  return "port" + std::to_string(member);
}

std::string bucket(const std::string& device, std::int64_t bits_per_second) {
  return "qdisc replace dev " + device + " root tbf rate " + std::to_string(bits_per_second) +
         "bit burst " + std::to_string(experiment::kLinkBurstBytes) + " limit " +
         std::to_string(kQueueBytes) + "\n";
}

}  // namespace

std::string linkAddress(int member) {
  const int host = member + 1;
  return "10.77." + std::to_string(host / kOctet) + "." + std::to_string(host % kOctet);
}

std::vector<LinkScript> linkScripts(int members, std::int64_t bits_per_second,
                                    const std::function<std::string(int member)>& pathOf) {
  SUMAC_CHECK(members >= 1 && members <= kMostLinks, members);
  LinkScript hub{kHub, "ip",
                 "link add hub type bridge stp_state 0 forward_delay 0\n"
                 "link set hub up\n"};
  LinkScript down{kHub, "tc", {}};
  std::vector<LinkScript> own;
  for (int member = 0; member < members; ++member) {
    const std::string port = portOf(member);
    hub.lines += "link add " + port + " type veth peer name eth0 netns " + pathOf(member) + "\n";
    hub.lines += "link set " + port + " master hub up\n";
    down.lines += bucket(port, bits_per_second);
    const std::string address = linkAddress(member);
    own.push_back({member, "ip",
                   "link set lo up\naddress add " + address +
                       "/16 dev eth0\nlink set eth0 up\n"
                       "route replace 10.77.0.0/16 dev eth0 proto kernel scope link src " +
                       address + " cwnd lock " + std::to_string(kWindowPackets) + "\n"});
    own.push_back({member, "tc", bucket("eth0", bits_per_second)});
  }
  std::vector<LinkScript> scripts{std::move(hub), std::move(down)};
  scripts.insert(scripts.end(), own.begin(), own.end());
  return scripts;
}

}  // namespace sumac::cli
