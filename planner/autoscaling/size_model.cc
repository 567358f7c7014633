#include "planner/autoscaling/size_model.h"

#include <algorithm>
#include <cmath>

#include "planner/autoscaling/useful_sizes.h"

namespace sumac::autoscaling {

/// Observed over expected. The exchange's is negative where none was expected, as of one worker
/// without servers: that says nothing.
struct SizeModel::Scale {
  double compute = 1;
  double exchange = 1;
};

namespace {

bool isNumber(double value) {
  return std::isfinite(value) && value >= 0;
}

/// Between `below` at 0 and `above` at 1.
double between(double below, double above, double share) {
  return below + share * (above - below);
}

}  // namespace

SizeModel::SizeModel(int parts, std::span<const ExpectedStep> expected,
                     std::span<const Observation> observations, double stabilization_seconds)
    : parts_(parts),
      expected_(expected),
      observations_(observations),
      stabilization_seconds_(stabilization_seconds) {}

ExpectedStep SizeModel::expectedOf(int workers) const {
  const auto found = std::ranges::find(expected_, workers, &ExpectedStep::workers);
  if (found != expected_.end() && isNumber(found->compute) && found->compute > 0 &&
      isNumber(found->exchange))
    return *found;
  return {workers, static_cast<double>(busiestParts(parts_, workers)), workers > 1 ? 1.0 : 0.0};
}

SizeModel::Scale SizeModel::scaleOf(const Observation& observed) const {
  const ExpectedStep expected = expectedOf(observed.workers);
  const double rest = observed.step_seconds - observed.compute_seconds;
  return {observed.compute_seconds / expected.compute,
          expected.exchange > 0 ? rest / expected.exchange : -1};
}

SizeModel::Scale SizeModel::scaleAt(int workers) const {
  const Observation* below = nullptr;
  const Observation* above = nullptr;
  for (const Observation& one : observations_) {
    if (one.workers <= workers && (below == nullptr || one.workers > below->workers)) below = &one;
    if (one.workers >= workers && (above == nullptr || one.workers < above->workers)) above = &one;
  }
  if (below == nullptr) return scaleOf(*above);
  if (above == nullptr || above == below) return scaleOf(*below);
  const double share =
      static_cast<double>(workers - below->workers) / (above->workers - below->workers);
  Scale low = scaleOf(*below);
  Scale high = scaleOf(*above);
  // What slows computing, as cores that are shared, slows the exchange alike.
  const auto like = [](const Scale& known, const Scale& unknown) {
    return known.compute > 0 ? known.exchange * unknown.compute / known.compute : known.exchange;
  };
  if (low.exchange < 0) low.exchange = like(high, low);
  if (high.exchange < 0) high.exchange = like(low, high);
  return {between(low.compute, high.compute, share), between(low.exchange, high.exchange, share)};
}

SizeTime SizeModel::operator()(int workers, double slowdown) const {
  const auto found = std::ranges::find(observations_, workers, &Observation::workers);
  if (found != observations_.end() && isTelling(*found, stabilization_seconds_))
    return {found->step_seconds + (slowdown - 1) * found->compute_seconds, true};
  const ExpectedStep expected = expectedOf(workers);
  const Scale scale = scaleAt(workers);
  // An exchange of which nothing was observed is as expected.
  return {expected.compute * scale.compute * slowdown +
              expected.exchange * (scale.exchange < 0 ? 1 : scale.exchange),
          false};
}

}  // namespace sumac::autoscaling
