#include "base/process/other_work.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

namespace sumac {
namespace {

double secondsOf(const timeval& time) {
  constexpr double kMicro = 1e-6;
  return static_cast<double>(time.tv_sec) + kMicro * static_cast<double>(time.tv_usec);
}

/// Of this process and of the children that it has waited for, and so on.
double ownSeconds() {
  double seconds = 0;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    if (::getrusage(who, &usage) == 0)
      seconds += secondsOf(usage.ru_utime) + secondsOf(usage.ru_stime);
  }
  return seconds;
}

std::optional<MachineWork> machineWork() {
  std::ifstream file("/proc/stat");
  std::ostringstream text;
  text << file.rdbuf();
  return machineWorkIn(text.str(), static_cast<double>(::sysconf(_SC_CLK_TCK)));
}

}  // namespace

std::optional<MachineWork> machineWorkIn(std::string_view stat, double ticks_per_second) {
  std::istringstream lines{std::string(stat)};
  std::string name;
  // user, nice, system, idle, iowait, irq, softirq, steal
  constexpr std::size_t kSystem = 2;
  constexpr std::size_t kSteal = 7;
  std::array<double, kSteal + 1> ticks{};
  if (!(lines >> name) || name != "cpu") return std::nullopt;
  for (double& one : ticks)
    if (!(lines >> one)) return std::nullopt;
  MachineWork work{.cores = 0, .seconds = ticks[kSteal]};
  for (std::size_t i = 0; i <= kSystem; ++i)
    work.seconds += ticks.at(i);
  work.seconds /= ticks_per_second;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("cpu")) ++work.cores;
  return work.cores > 0 ? std::optional(work) : std::nullopt;
}

double lackingShare(double others, int cores, int wanted) {
  const double usable = std::min(cores, wanted);
  const double left = cores - std::max(0.0, others);
  return std::clamp((usable - left) / usable, 0.0, 1.0);
}

OtherWork::OtherWork(const Clock& clock)
    : clock_(clock), begun_(clock.now()), machine_(machineWork()), own_(ownSeconds()) {}

std::optional<double> OtherWork::lacking(int wanted) const {
  const auto now = machineWork();
  const double passed = secondsBetween(begun_, clock_.now());
  if (!machine_ || !now || passed <= 0) return std::nullopt;
  const double others = (now->seconds - machine_->seconds - (ownSeconds() - own_)) / passed;
  return lackingShare(others, now->cores, std::max(1, wanted));
}

}  // namespace sumac
