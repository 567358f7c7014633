#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/core/clock.h"
#include "base/telemetry/http_answer.h"

namespace sumac::control {

/// Answers the probes. Alive: our own threads make progress; an API server that does not answer is
/// no reason to restart us. Ready: the caches have finished their first list. Everything is added
/// before the first probe; after that it is safe from any thread.
class Health {
 public:
  explicit Health(const Clock& clock) : clock_(clock) {}

  /// Not alive if `silence` of this thread exceeds `limit`.
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
