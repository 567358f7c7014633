#include "planner/exchange_cost/textbook.h"

#include <algorithm>

namespace sumac::planner {
namespace {

/// Of the busiest link, the way that carries more.
double linkBytes(const ExchangeShape& shape) {
  const double workers = shape.workers;
  switch (shape.method) {
    case ExchangeMethod::kServers: return shape.wire_bytes * workers / shape.servers;
    case ExchangeMethod::kDirect: return shape.wire_bytes * (workers - 1);
    default: return 2 * shape.wire_bytes * (workers - 1) / workers;
  }
}

/// How many workers take turns at a core.
double turns(const StepShape& shape, const Surroundings& where) {
  if (where.shared_cores == 0 || where.is_emulated) return 1;
  const double threads = static_cast<double>(shape.exchange.workers) * shape.compute.threads;
  return std::max(1.0, threads / where.shared_cores);
}

}  // namespace

double textbookSeconds(const StepShape& shape, const StepCosts& costs, const Surroundings& where) {
  const StepCompute& compute = shape.compute;
  const double computing =
      compute.forward_seconds + compute.backwardSeconds() + compute.update_seconds;
  const double byte = where.link_bytes_per_second > 0 ? kFrameOverhead / where.link_bytes_per_second
                                                      : costs.exchange.byte;
  return turns(shape, where) * computing + linkBytes(shape.exchange) * byte;
}

}  // namespace sumac::planner
