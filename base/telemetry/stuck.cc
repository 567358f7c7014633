#include "base/telemetry/stuck.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

namespace sumac {
namespace {

/// To a tenth.
double secondsSince(TimePoint since, TimePoint now) {
  const double seconds = std::chrono::duration<double>(now - since).count();
  return std::round(std::max(seconds, 0.0) * 10) / 10;
}

}  // namespace

HttpAnswer stuckAnswer(const std::vector<Wait>& waits, TimePoint now) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Wait& wait : waits) {
    nlohmann::ordered_json one;
    one["who"] = toString(wait.who);
    one["for"] = toString(wait.whom);
    if (wait.step > 0) one["step"] = wait.step;
    one["what"] = wait.what;
    one["seconds"] = secondsSince(wait.since, now);
    all.push_back(std::move(one));
  }
  return {200, "application/json", nlohmann::ordered_json{{"waits", std::move(all)}}.dump() + "\n"};
}

void WaitLog::onTick(const std::vector<Wait>& waits, TimePoint now) {
  const auto longest = std::ranges::min_element(waits, {}, &Wait::since);
  if (longest == waits.end() || now - longest->since < kWaitWarned || now < next_) return;
  next_ = now + kWaitWarned;
  log_.warn("waiting for long", {{"for", toString(longest->whom)},
                                 {"step", longest->step},
                                 {"what", longest->what},
                                 {"seconds", secondsSince(longest->since, now)},
                                 {"others", waits.size() - 1}});
}

void WaitLog::tell(const std::vector<Wait>& waits, TimePoint now) const {
  if (waits.empty()) log_.info("waiting for nobody");
  for (const Wait& wait : waits) {
    log_.info("waiting", {{"for", toString(wait.whom)},
                          {"step", wait.step},
                          {"what", wait.what},
                          {"seconds", secondsSince(wait.since, now)}});
  }
}

}  // namespace sumac
