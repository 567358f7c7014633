#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/clock.h"
#include "base/core/descriptor.h"
#include "base/core/result.h"
#include "job/progress/emulated_computing.h"

namespace sumac::worker {

/// What happens at which time of a step's computing, so that it can be waited for instead. A value
/// type.
struct StepTimes {
  enum class Kind : std::uint8_t {
    kAwaits,  // the forward pass comes to these weights
    kFinal,   // these values of a contribution are final
  };
  struct Event {
    Kind kind = Kind::kFinal;
    std::size_t contribution = 0;  // of kFinal
    std::size_t first = 0;
    std::size_t count = 0;
    double seconds = 0;  // since the step began

    bool operator==(const Event&) const = default;
  };

  std::vector<Event> events;         // in order of time
  double seconds = 0;                // of the gradients, whole
  double update_seconds = 0;         // of all weights
  EmulatedComputing computing = {};  // how the two were measured, together

  bool operator==(const StepTimes&) const = default;
};

/// As a JSON file, and back. Fails with kInvalid on anything else.
std::string toFile(const StepTimes& times);
Result<StepTimes> stepTimesFromFile(std::string_view text);

/// The first of some measurements that other work hardly disturbed, or the least disturbed one: a
/// member that still starts, say, is done before the next. None begins after `seconds` of `clock`.
StepTimes quietest(const Clock& clock, double seconds, const std::function<StepTimes()>& measure);

/// Times with the lock of their folder: while this lives, no other process of this machine gets
/// times of the folder, or measures any.
struct HeldStepTimes {
  StepTimes times;
  Descriptor lock;
};

/// The times in the file `name` of a folder, which is made where it is missing. Where there is no
/// such file, `measure` is called and the file written. Only one of this machine's processes does
/// so at a time, and all others that want times of the folder wait for it. Who computes before it
/// gives the times back disturbs no measurement either: that of a worker with another share.
///
/// Fails with kUnavailable if the folder cannot be used, or if the others take minutes.
Result<HeldStepTimes> sharedStepTimes(const std::filesystem::path& folder, const std::string& name,
                                      const std::function<StepTimes()>& measure);

}  // namespace sumac::worker
