#include "libsumac/alone.h"

#include "base/core/check.h"

namespace sumac::program {

using worker::StepEvent;

Alone::Alone(const ExchangePlan& plan, Member self, Step newest)
    : plan_(plan), self_(self), newest_(newest), begun_(newest) {}

worker::JoinEvent Alone::join(TimePoint /*until*/) {
  worker::Start start;
  start.roster.order = {1, 1};
  start.roster.members = {{self_, ""}};
  start.roster.start_step = newest_;
  start.roster.writer = self_.slot;
  start.block = {0, plan_.parts};
  return start;
}

std::optional<StepEvent> Alone::awaitBuffers(Step step, TimePoint /*until*/) {
  if (const auto stop = stopOrder(); stop.after && *stop.after < step)
    return worker::StopAfter{*stop.after};
  begun_ = step;
  return std::nullopt;
}

void Alone::submit(Step step, std::span<const Contribution> contributions) {
  SUMAC_CHECK(step == begun_ && contributions.size() == 1, step, begun_, contributions.size());
  sum_ = contributions.front().values;
}

StepEvent Alone::awaitSum(Step step, TimePoint /*until*/) {
  SUMAC_CHECK(step == begun_, step, begun_);
  return worker::Sum{sum_};
}

/// The step that has begun is finished.
StopOrder Alone::stopOrder() const {
  if (leaves_ && !last_) last_ = begun_;
  return {.after = last_};
}

void Alone::reportWeights(Step /*step*/, std::uint32_t /*crc*/, const WorkerTimes& times,
                          bool /*is_last*/) {
  times_ = {times};
}

void Alone::finished(const std::string& result) {
  end_ = ProcessEnd{ExitCode::kDone, result};
}

void Alone::stopped() {
  end_ = ProcessEnd{ExitCode::kStopped, "stopped on request"};
}

void Alone::fail(ExitCode code, const std::string& reason) {
  end_ = ProcessEnd{code, reason};
}

worker::EndEvent Alone::awaitEndOrHalt(TimePoint /*until*/) {
  if (end_) return *end_;
  return worker::NotYet();
}

}  // namespace sumac::program
