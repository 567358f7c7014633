#include "planner/convolution_choice/relaxation.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace sumac::planner::internal {
namespace {

double savedPerByte(const Option& from, const Option& to) {
  return (from.seconds - to.seconds) / static_cast<double>(to.bytes - from.bytes);
}

/// A step from one option of a convolution to a larger one, along the lower convex hull of its
/// options: steps of one convolution save less and less time a byte.
struct HullStep {
  std::size_t convolution = 0;
  std::size_t to = 0;
  double saved_per_byte = 0;
};

void appendHull(std::size_t convolution, const Options& options, std::vector<HullStep>& steps) {
  std::vector<std::size_t> hull{0};
  for (std::size_t i = 1; i < options.size(); ++i) {
    while (hull.size() > 1) {
      const Option& before = options[hull[hull.size() - 2]];
      const Option& last = options[hull.back()];
      if (savedPerByte(before, last) > savedPerByte(last, options[i])) break;
      hull.pop_back();
    }
    hull.push_back(i);
  }
  for (std::size_t i = 1; i < hull.size(); ++i) {
    steps.push_back({convolution, hull[i], savedPerByte(options[hull[i - 1]], options[hull[i]])});
  }
}

}  // namespace

Options withoutDominated(Options options) {
  std::sort(options.begin(), options.end(), [](const Option& a, const Option& b) {
    return std::tie(a.bytes, a.seconds, a.index) < std::tie(b.bytes, b.seconds, b.index);
  });
  Options kept;
  for (const Option& option : options) {
    if (kept.empty() || option.seconds < kept.back().seconds) kept.push_back(option);
  }
  return kept;
}

Relaxation relax(const std::vector<Options>& convolutions, std::int64_t bound_bytes) {
  Relaxation relaxation;
  relaxation.base.assign(convolutions.size(), 0);
  std::vector<HullStep> steps;
  for (std::size_t i = 0; i < convolutions.size(); ++i) {
    relaxation.base_seconds += convolutions[i].front().seconds;
    relaxation.base_bytes += convolutions[i].front().bytes;
    appendHull(i, convolutions[i], steps);
  }
  // Stable: equal steps in the order of the convolutions, and those of one in its hull's order.
  std::stable_sort(steps.begin(), steps.end(), [](const HullStep& a, const HullStep& b) {
    return a.saved_per_byte > b.saved_per_byte;
  });
  for (const HullStep& step : steps) {
    const Options& options = convolutions[step.convolution];
    std::size_t& base = relaxation.base[step.convolution];
    const std::int64_t more = options[step.to].bytes - options[base].bytes;
    const std::int64_t left = bound_bytes - relaxation.base_bytes;
    if (more > left) {
      relaxation.seconds_per_byte = step.saved_per_byte;
      relaxation.lower_bound =
          relaxation.base_seconds - step.saved_per_byte * static_cast<double>(left);
      return relaxation;
    }
    relaxation.base_bytes += more;
    relaxation.base_seconds += options[step.to].seconds - options[base].seconds;
    base = step.to;
  }
  relaxation.lower_bound = relaxation.base_seconds;
  return relaxation;
}

}  // namespace sumac::planner::internal
