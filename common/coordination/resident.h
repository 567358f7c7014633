#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/base/slot.h"
#include "common/link/link.h"
#include "common/telemetry/http_server.h"
#include "common/trace/recorder.h"

namespace sumac::coordination {

/// What a worker's process knows of itself once it listens.
struct ResidentIdentity {
  Member self;                          // the worker
  std::uint64_t job = 0;                // as in wire::Header
  trace::Recorder* recorder = nullptr;  // outlives it; null: nothing is traced
};

/// What lives in a worker's process beside the worker where a job has no servers: it sums ranges
/// and, in worker 0's, coordinates. Made by server/, so that worker/ need not know it.
///
/// Owned by the thread of the worker's reactor, except for its routes.
class Resident : public link::Handler {
 public:
  /// Adds what it answers over HTTP to the worker's routes; they refer to this object. Call first.
  virtual void addTo(HttpServer::Routes& routes) = 0;

  /// Call once, before the rest. `link` outlives us.
  virtual void open(const ResidentIdentity& identity, link::Link& link) = 0;
  virtual void start(TimePoint now) = 0;
  /// Call about every 20 ms, and after a pause before any other call.
  virtual void onTick(TimePoint now) = 0;

  /// Whether the other members need this process no more.
  virtual bool isOver() const = 0;
};

/// Fails when the job's document cannot be used.
using MakeResident = std::function<Result<std::unique_ptr<Resident>>()>;

}  // namespace sumac::coordination
