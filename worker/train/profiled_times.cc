#include "worker/train/profiled_times.h"

#include <algorithm>
#include <numeric>

#include "base/core/check.h"
#include "job/profile/profile_use.h"

namespace sumac::worker {
namespace {

/// When how many values have been through a pass.
class PassCourse {
 public:
  /// The next values, and when the pass is done with them.
  void add(double values, double seconds) {
    points_.push_back({points_.back().values + values, seconds});
  }
  /// When the pass has come to so many values.
  double secondsAt(double values) const {
    const auto after = std::ranges::lower_bound(points_, values, {}, &Point::values);
    if (after == points_.begin()) return 0;
    if (after == points_.end()) return points_.back().seconds;
    const Point& before = *std::prev(after);
    const double share = (values - before.values) / (after->values - before.values);
    return before.seconds + share * (after->seconds - before.seconds);
  }

 private:
  struct Point {
    double values = 0;
    double seconds = 0;
  };
  std::vector<Point> points_{{}};
};

/// Of one part, which takes `seconds`; without times of layers the pass needs all weights at once.
PassCourse forwardCourse(const BatchProfile& batch, double seconds) {
  double sum = 0;
  for (const LayerProfile& layer : batch.layers)
    sum += layer.forward_seconds;
  PassCourse course;
  if (sum <= 0) return course;
  double spent = 0;
  for (const LayerProfile& layer : batch.layers) {
    spent += layer.forward_seconds * seconds / sum;
    double values = 0;
    for (const TensorProfile& tensor : layer.tensors)
      values += static_cast<double>(tensor.values);
    if (values > 0) course.add(values, spent);
  }
  return course;
}

PassCourse backwardCourse(const BatchProfile& batch) {
  PassCourse course;
  double spent = 0;
  for (const GradientTime& tensor : backwardTimes(batch).tensors) {
    spent += tensor.seconds / batch.parts;
    course.add(static_cast<double>(tensor.values), spent);
  }
  return course;
}

}  // namespace

StepTimes profiledTimes(StepTimes step, const BatchProfile& batch, const ProfiledBlock& block) {
  const int parts = std::reduce(block.parts.begin(), block.parts.end());
  SUMAC_CHECK(parts == batch.parts, parts, batch.parts);
  const double forward = batch.forward.median / parts;
  const double backward = batch.backward.median / parts;
  const PassCourse to_loss = forwardCourse(batch, forward);
  const PassCourse from_loss = backwardCourse(batch);
  const bool has_layers = !batch.layers.empty();
  double awaited = 0;
  std::vector<double> final_values(block.parts.size());  // by contribution
  double before = 0;
  for (StepTimes::Event& event : step.events) {
    if (event.kind == StepTimes::Kind::kAwaits) {
      event.seconds = to_loss.secondsAt(awaited);
      awaited += static_cast<double>(event.count);
    } else {
      SUMAC_CHECK(event.contribution < final_values.size(), event.contribution,
                  final_values.size());
      const auto last = block.parts.begin() + static_cast<std::ptrdiff_t>(event.contribution) + 1;
      const double end = (forward + backward) * std::reduce(block.parts.begin(), last);
      const bool is_gradient = event.first < block.parameters;
      double& values = final_values[event.contribution];
      if (is_gradient) values += static_cast<double>(event.count);
      event.seconds =
          is_gradient && has_layers ? end - backward + from_loss.secondsAt(values) : end;
    }
    before = event.seconds = std::max(before, event.seconds);
  }
  step.seconds = batch.forward.median + batch.backward.median;
  step.update_seconds = batch.update.median;
  return step;
}

}  // namespace sumac::worker
