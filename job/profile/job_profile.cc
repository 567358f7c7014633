#include "job/profile/job_profile.h"

#include <algorithm>
#include <cmath>

#include "base/core/check.h"
#include "base/core/quantile.h"
#include "base/core/units.h"

namespace sumac {
Timing timingOf(std::vector<double> seconds) {
  SUMAC_CHECK(!seconds.empty());
  constexpr double kLower = 0.25;
  constexpr double kMiddle = 0.5;
  constexpr double kUpper = 0.75;
  std::ranges::sort(seconds);
  return {quantile(seconds, kMiddle), quantile(seconds, kLower), quantile(seconds, kUpper)};
}

double LayerProfile::weightGradientSeconds() const {
  double seconds = 0;
  for (const TensorProfile& tensor : tensors)
    seconds += tensor.gradient_seconds;
  return seconds;
}

double coresOf(const ProfileMachine& machine) {
  const double cores = machine.cores;
  return std::min(cores, machine.quota.value_or(cores));
}

int sharedCoresOf(const ProfileMachine& machine) {
  return static_cast<int>(std::ceil(coresOf(machine)));
}

std::string LinkMeasurement::exchangeName() const {
  return std::string(toString(method)) + " with " + counted(workers, "worker") +
         (servers > 0 ? " and " + counted(servers, "server") : "");
}

}  // namespace sumac
