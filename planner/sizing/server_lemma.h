#pragma once

#include <cstdint>
#include <span>

#include "base/core/result.h"

namespace sumac::planner {

/// A synchronous step of a job with servers, as the lemma sees it: every worker pushes a gradient
/// and pulls the parameters, spread evenly over all servers, while it computes.
struct ServerLoad {
  std::int64_t parameter_bytes = 0;    // S_p
  std::int64_t workers = 1;            // N_w
  double compute_seconds = 0;          // T_C, of a step
  double server_bytes_per_second = 0;  // B_ps, of one server's link
};

// The lemma on the number of parameter servers of Zou et al. 2017 (arXiv 1709.06622), and an
// inverse question. The paper's formula is from memory; it and the inverse were derived:
//
//   N_ps >= ceil(2 S_p N_w / (B_ps T_C)), at least 1
//
// With so many servers the exchange is hidden behind the computation. That takes parameters that
// are spread evenly (busiestShare()), workers whose own links suffice (2 S_p / B_w <= T_C), and an
// exchange that runs while they compute.
//
// All functions are pure and fail with kInvalid on numbers that cannot be.

/// The smallest N_ps that hides the exchange. If that is more than the number of workers the job is
/// bound by the network: fewer workers or a larger mini-batch serve better.
Result<std::int64_t> smallestServers(const ServerLoad& load);

/// The T_C behind which `servers` hide the exchange. Does not read load.compute_seconds.
Result<double> computeSecondsNeeded(const ServerLoad& load, std::int64_t servers);

/// The smallest share of all bytes that the busiest of `servers` has when every tensor is kept
/// whole: max(largest tensor / all, 1 / servers). Above 1 / servers the lemma's assumption does not
/// hold. Fails with kInvalid if there is no tensor or one has no bytes.
Result<double> busiestShare(std::span<const std::int64_t> tensor_bytes, std::int64_t servers);

}  // namespace sumac::planner
