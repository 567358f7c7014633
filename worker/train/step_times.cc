#include "worker/train/step_times.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>

#include <nlohmann/json.hpp>

#include "base/core/bytes.h"
#include "base/core/file.h"

namespace sumac::worker {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr int kSchemaVersion = 2;
constexpr std::uint64_t kMostBytes = 16'000'000;
constexpr mode_t kLockMode = 0644;
constexpr std::chrono::minutes kPatience{5};  // the largest network of many workers, measured once
constexpr std::chrono::milliseconds kRetry{5};

Error damaged() {
  return {ErrorCode::kInvalid, "this is not a file of step times"};
}

bool isDuration(const json& value) {
  return value.is_number() && std::isfinite(value.get<double>()) && value.get<double>() >= 0;
}

/// [0 or 1, contribution, first, count, seconds]
bool readEvent(const json& fields, StepTimes::Event& event) {
  constexpr std::size_t kFields = 5;
  if (!fields.is_array() || fields.size() != kFields || !isDuration(fields[4])) return false;
  for (std::size_t i = 0; i + 1 < kFields; ++i) {
    if (!fields[i].is_number_unsigned()) return false;
  }
  event = {fields[0] == 0U ? StepTimes::Kind::kAwaits : StepTimes::Kind::kFinal,
           fields[1].get<std::size_t>(), fields[2].get<std::size_t>(), fields[3].get<std::size_t>(),
           fields[4].get<double>()};
  return true;
}

/// The share of the time by which other work moved it.
double disturbance(const StepTimes& times) {
  return std::max(times.computing.spread(), times.computing.waited);
}

/// The folder's lock, once nobody else has it.
Result<Descriptor> lockIn(const std::filesystem::path& folder) {
  const auto path = folder / ".lock";
  Descriptor lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kLockMode));
  const SystemClock clock;
  const TimePoint until = clock.now() + kPatience;
  while (lock) {
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return lock;
    if (errno != EWOULDBLOCK && errno != EINTR) break;
    if (clock.now() > until) {
      return Error{ErrorCode::kUnavailable, "another worker has measured its times in " +
                                                folder.string() + " for minutes; is it stopped?"};
    }
    std::this_thread::sleep_for(kRetry);
  }
  return Error{ErrorCode::kUnavailable,
               "cannot lock " + path.string() + ": " + std::strerror(errno)};
}

}  // namespace

std::string toFile(const StepTimes& times) {
  ordered_json document{{"schemaVersion", kSchemaVersion},
                        {"gradientSeconds", times.seconds},
                        {"updateSeconds", times.update_seconds},
                        {"computing", sumac::toJson(times.computing)},
                        {"events", ordered_json::array()}};
  for (const auto& event : times.events) {
    document["events"].push_back({event.kind == StepTimes::Kind::kAwaits ? 0U : 1U,
                                  event.contribution, event.first, event.count, event.seconds});
  }
  return document.dump() + "\n";
}

Result<StepTimes> stepTimesFromFile(std::string_view text) {
  const json document = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object() || document.value("schemaVersion", json()) != kSchemaVersion)
    return damaged();
  StepTimes times;
  const json gradient = document.value("gradientSeconds", json());
  const json update = document.value("updateSeconds", json());
  const json events = document.value("events", json());
  if (!isDuration(gradient) || !isDuration(update) || !events.is_array()) return damaged();
  const auto computing = emulatedComputingFrom(document.value("computing", json()));
  if (!computing) return damaged();
  times.computing = *computing;
  times.seconds = gradient.get<double>();
  times.update_seconds = update.get<double>();
  for (const json& fields : events) {
    if (!readEvent(fields, times.events.emplace_back())) return damaged();
  }
  return times;
}

StepTimes quietest(const Clock& clock, double seconds, const std::function<StepTimes()>& measure) {
  constexpr double kQuiet = 0.05;
  const TimePoint begun = clock.now();
  StepTimes best = measure();
  while (disturbance(best) > kQuiet && secondsBetween(begun, clock.now()) < seconds) {
    StepTimes next = measure();
    if (disturbance(next) < disturbance(best)) best = std::move(next);
  }
  return best;
}

Result<HeldStepTimes> sharedStepTimes(const std::filesystem::path& folder, const std::string& name,
                                      const std::function<StepTimes()>& measure) {
  if (const auto usable = requireWritable(folder); !usable) return usable.error();
  auto lock = lockIn(folder);
  if (!lock) return lock.error();
  const auto path = folder / name;
  if (const auto text = readTextFile(path, kMostBytes)) {
    if (auto times = stepTimesFromFile(*text))
      return HeldStepTimes{*std::move(times), *std::move(lock)};
  }
  StepTimes times = measure();
  const std::string content = toFile(times);
  if (const auto written = replaceFile(path, asBytes(content)); !written) return written.error();
  return HeldStepTimes{std::move(times), *std::move(lock)};
}

}  // namespace sumac::worker
