#include "base/telemetry/process_metrics.h"

#include <array>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

#include <unistd.h>

namespace sumac {
namespace {

/// Fields of /proc/self/stat behind the program's name, which may hold spaces: proc(5) counts from
/// 1 and the name is 2, so that field 3 is the first.
struct Stat {
  double cpu_ticks = 0;
  double start_ticks = 0;  // after boot
  double virtual_bytes = 0;
  double resident_pages = 0;
};

std::optional<Stat> readStat(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string text;  // one line
  std::getline(in, text);
  const auto name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  std::string state;
  fields >> state;
  std::array<double, 25> values{};  // from field 4 on
  for (std::size_t i = 4; i < values.size(); ++i)
    fields >> values[i];
  if (!fields) return std::nullopt;
  return Stat{.cpu_ticks = values[14] + values[15],
              .start_ticks = values[22],
              .virtual_bytes = values[23],
              .resident_pages = values[24]};
}

/// Seconds since 1970 at which the machine started.
std::optional<double> readBootTime(const std::filesystem::path& file) {
  std::ifstream in(file);
  for (std::string word; in >> word;) {
    double seconds = 0;
    if (word == "btime" && in >> seconds) return seconds;
  }
  return std::nullopt;
}

double countEntries(const std::filesystem::path& folder) {
  std::error_code error;
  double count = 0;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error))
    ++count;
  return count;
}

}  // namespace

ProcessMetrics::ProcessMetrics(Metrics& metrics, std::filesystem::path proc)
    : proc_(std::move(proc)),
      cpu_seconds_(metrics.counter("process_cpu_seconds_total",
                                   "User and system CPU time spent in seconds.")),
      resident_bytes_(
          metrics.gauge("process_resident_memory_bytes", "Resident memory size in bytes.")),
      virtual_bytes_(
          metrics.gauge("process_virtual_memory_bytes", "Virtual memory size in bytes.")),
      start_time_(metrics.gauge("process_start_time_seconds",
                                "Start time of the process since unix epoch in seconds.")),
      open_fds_(metrics.gauge("process_open_fds", "Number of open file descriptors.")) {}

void ProcessMetrics::update() {
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  open_fds_.set(countEntries(proc_ / "self" / "fd"));
  const auto stat = readStat(proc_ / "self" / "stat");
  if (!stat || ticks <= 0) return;
  cpu_seconds_.advanceTo(stat->cpu_ticks / ticks);
  resident_bytes_.set(stat->resident_pages * static_cast<double>(::sysconf(_SC_PAGESIZE)));
  virtual_bytes_.set(stat->virtual_bytes);
  if (const auto boot = readBootTime(proc_ / "stat")) {
    start_time_.set(*boot + stat->start_ticks / ticks);
  }
}

}  // namespace sumac
