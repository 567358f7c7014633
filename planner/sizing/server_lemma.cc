#include "planner/sizing/server_lemma.h"

#include <algorithm>
#include <cmath>

#include "planner/checks/checks.h"

namespace sumac::planner {
namespace {

constexpr std::string_view kServers = "number of servers";

Quantity bytesOf(const ServerLoad& load) {
  return {"the parameters", static_cast<double>(load.parameter_bytes), "bytes"};
}

Quantity workersOf(const ServerLoad& load) {
  return {"the number of workers", static_cast<double>(load.workers), ""};
}

Quantity secondsOf(const ServerLoad& load) {
  return {"the time of the computation", load.compute_seconds, "s"};
}

Quantity bandwidthOf(const ServerLoad& load) {
  return {"the bandwidth of a server", load.server_bytes_per_second, "bytes/s"};
}

Quantity countOf(std::int64_t servers) {
  return {"the number of servers", static_cast<double>(servers), ""};
}

/// What the workers' push and pull take of a server's link, in bytes, if there is one server.
double bytesPerStep(const ServerLoad& load) {
  return 2.0 * static_cast<double>(load.parameter_bytes) * static_cast<double>(load.workers);
}

}  // namespace

Result<std::int64_t> smallestServers(const ServerLoad& load) {
  if (auto checked = checkPositive(
          kServers, {bytesOf(load), workersOf(load), secondsOf(load), bandwidthOf(load)});
      !checked) {
    return checked.error();
  }
  // Divided one after another: the product of tiny numbers could be 0.
  return countFrom(kServers,
                   bytesPerStep(load) / load.server_bytes_per_second / load.compute_seconds);
}

Result<double> computeSecondsNeeded(const ServerLoad& load, std::int64_t servers) {
  if (auto checked = checkPositive(
          kServers, {bytesOf(load), workersOf(load), bandwidthOf(load), countOf(servers)});
      !checked) {
    return checked.error();
  }
  const double needed =
      bytesPerStep(load) / static_cast<double>(servers) / load.server_bytes_per_second;
  if (auto checked = checkPositive(kServers, {{"the time that is needed", needed, "s"}});
      !checked) {
    return checked.error();
  }
  return needed;
}

Result<double> busiestShare(std::span<const std::int64_t> tensor_bytes, std::int64_t servers) {
  if (auto checked = checkPositive(kServers, {countOf(servers)}); !checked) {
    return checked.error();
  }
  double largest = 0;
  double sum = 0;
  for (const std::int64_t bytes : tensor_bytes) {
    const auto own = static_cast<double>(bytes);
    if (auto checked = checkPositive(kServers, {{"the size of a tensor", own, "bytes"}});
        !checked) {
      return checked.error();
    }
    largest = std::max(largest, own);
    sum += own;
  }
  if (sum == 0) {
    return Error{ErrorCode::kInvalid, std::string(kServers) + ": there is no tensor to spread"};
  }
  return std::max(largest / sum, 1 / static_cast<double>(servers));
}

}  // namespace sumac::planner
