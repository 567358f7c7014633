#include "exchange/coordinator/straggler_watch.h"

#include <algorithm>
#include <vector>

namespace sumac {
namespace {

// Heartbeats of different workers lie up to a quarter of a second apart, and tell milliseconds.
constexpr std::chrono::seconds kLeastTime{2};
constexpr double kLeastSteps = 3;
constexpr double kSlow = 1.2;

}  // namespace

double StragglerWatch::Worker::secondsOfPart() const {
  constexpr double kMilli = 1e-3;
  return kMilli * (newest.milliseconds - before.milliseconds) / steps();
}

void StragglerWatch::heard(int worker, const PartTime& so_far) {
  const auto [told, is_first] = told_.try_emplace(worker, Worker{so_far, so_far});
  told->second.newest = so_far;
}

bool StragglerWatch::isLongEnough(TimePoint now) const {
  return now - *since_ >= kLeastTime && std::ranges::all_of(told_, [](const auto& one) {
           return one.second.steps() >= kLeastSteps;
         });
}

std::optional<Straggler> StragglerWatch::find(TimePoint now) {
  if (workers_ < 2 || static_cast<int>(told_.size()) < workers_) return std::nullopt;
  if (since_ && !isLongEnough(now)) return found_;
  if (since_) found_ = slowest();
  since_ = now;
  for (auto& [worker, told] : told_)
    told.before = told.newest;
  return found_;
}

std::optional<Straggler> StragglerWatch::slowest() const {
  const auto last = std::ranges::max_element(
      told_, {}, [](const auto& one) { return one.second.secondsOfPart(); });
  std::vector<double> others;
  for (auto one = told_.begin(); one != told_.end(); ++one)
    if (one != last) others.push_back(one->second.secondsOfPart());
  const auto middle = others.begin() + static_cast<std::ptrdiff_t>(others.size() / 2);
  std::ranges::nth_element(others, middle);
  const double slowest = last->second.secondsOfPart();
  // Of a part that takes no time that can be told, nothing can.
  if (*middle <= 0 || slowest < kSlow * *middle) return std::nullopt;
  return Straggler{last->first, slowest / *middle};
}

}  // namespace sumac
