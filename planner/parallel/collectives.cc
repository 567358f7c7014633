#include "planner/parallel/collectives.h"

namespace sumac::planner {

double messageSeconds(const LinkCost& link, double bytes) {
  return link.latency_seconds + bytes * link.seconds_per_byte;
}

double ringAllreduceSeconds(const LinkCost& link, std::int64_t members, double bytes) {
  const auto count = static_cast<double>(members);
  return 2 * (count - 1) * messageSeconds(link, bytes / count);
}

double ringAllgatherSeconds(const LinkCost& link, std::int64_t members, double bytes_each) {
  return (static_cast<double>(members) - 1) * messageSeconds(link, bytes_each);
}

double LeaderAllreduce::seconds(double bytes) const {
  const double to_leader = ringAllreduceSeconds(inside, members, bytes);
  const double from_leader = to_leader;
  return to_leader + ringAllreduceSeconds(between, groups, bytes) + from_leader;
}

}  // namespace sumac::planner
