#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/telemetry/http_answer.h"

namespace sumac::control {

/// What probes are told. Alive: our own threads advance; whether the API server answers does not
/// matter, since a restart would not bring it back. Ready: the caches have what was there. Filled
/// before it is asked, then safe from any thread.
class Health {
 public:
  explicit Health(const Clock& clock) : clock_(clock) {}

  /// A thread that must not be silent for longer than `limit`.
  void addThread(std::string name, std::function<Duration(TimePoint)> silence, Duration limit);
  void addCache(std::string name, std::function<bool()> has_synced);

  HttpAnswer live() const;
  HttpAnswer ready() const;

 private:
  struct Thread {
    std::string name;
    std::function<Duration(TimePoint)> silence;
    Duration limit;
  };
  struct Cache {
    std::string name;
    std::function<bool()> has_synced;
  };

  const Clock& clock_;  // outlives us
  std::vector<Thread> threads_;
  std::vector<Cache> caches_;
};

}  // namespace sumac::control
