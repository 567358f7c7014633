#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sumac::planner::internal {

/// An algorithm of one convolution.
struct Option {
  std::size_t index = 0;  // among the convolution's algorithms
  double seconds = 0;
  std::int64_t bytes = 0;
};

/// Options of one convolution, more bytes and fewer seconds from each to the next: none is as large
/// as another one and as slow. Never empty.
using Options = std::vector<Option>;

/// Sorts options and leaves out those that another one makes useless.
Options withoutDominated(Options options);

/// The program with 0 <= x <= 1 instead of integers.
struct Relaxation {
  std::vector<std::size_t> base;  // for each convolution, the option that fits for certain
  double base_seconds = 0;
  std::int64_t base_bytes = 0;
  double seconds_per_byte = 0;  // what another byte would save; 0: nothing, `base` is the optimum
  double lower_bound = 0;       // of the seconds of any choice
};

/// Solves the relaxation: from the smallest options upwards, always the step that saves the most
/// time a byte, until one does not fit (Sinha and Zoltners 1979). Requires that the smallest
/// options fit.
Relaxation relax(const std::vector<Options>& convolutions, std::int64_t bound_bytes);

}  // namespace sumac::planner::internal
