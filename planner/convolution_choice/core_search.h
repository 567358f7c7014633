#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "planner/convolution_choice/relaxation.h"

namespace sumac::planner::internal {

/// What a search found.
struct Found {
  std::vector<std::size_t> options;  // for each convolution
  double lower_bound = 0;            // of the seconds of any choice
  bool is_optimal = true;
};

/// The fastest choice of options within the bound. Starts from the relaxation's and changes
/// convolutions one after another, those first that lose the least by a change. A partial choice is
/// dropped when another one is as small and as fast, or when the relaxation of what is left shows
/// that it cannot become faster than the best one so far. Stops after `max_states` partial choices.
Found searchCore(const std::vector<Options>& convolutions, const Relaxation& relaxation,
                 std::int64_t bound_bytes, std::size_t max_states);

}  // namespace sumac::planner::internal
