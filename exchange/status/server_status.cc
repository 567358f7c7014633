#include "exchange/status/server_status.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/core/version.h"
#include "base/telemetry/stuck.h"

namespace sumac {
namespace {

/// Prometheus' word for a value that is not known.
double orNan(std::optional<double> value) {
  return value.value_or(std::numeric_limits<double>::quiet_NaN());
}

}  // namespace

ServerStatus::ServerStatus(Slot self, JobIdentity job, const Clock& clock, Place place)
    : self_(self),
      job_(std::move(job)),
      clock_(clock),
      pulse_(clock.now()),
      members_(metrics_.gauge("sumac_server_members",
                              "Members that the coordinator has admitted, including itself.")),
      term_(metrics_.gauge("sumac_server_term", "The roster's term; 0 before the first.")),
      generation_(metrics_.gauge("sumac_server_generation", "The roster's generation.")) {
  if (place == Place::kOwnProcess) {
    process_metrics_.emplace(metrics_);
    link_metrics_.emplace(metrics_, "server");
  }
  for (std::size_t i = 0; i < kPushRejections; ++i) {
    const std::string reason(toString(static_cast<PushRejection>(i)));
    rejected_pushes_.push_back(metrics_.counter(
        "sumac_server_rejected_pushes_total", "Pushes that did not fit the plan or the membership.",
        {{"reason", reason}}));
  }
  metrics_.gauge("sumac_server_build_info", "The build; always 1.", {{"version", kVersion}}).set(1);
}

ServerStatus::JobGauges ServerStatus::makeJobGauges() {
  return {
      .step = metrics_.gauge("sumac_server_step", "Steps done of the job."),
      .total_steps = metrics_.gauge("sumac_server_total_steps", "Steps of the whole job."),
      .epoch = metrics_.gauge("sumac_server_epoch", "The epoch of that step, from 1."),
      .loss = metrics_.gauge("sumac_server_loss", "Mean training loss of the latest steps."),
      .samples_per_second = metrics_.gauge("sumac_server_samples_per_second",
                                           "Samples trained per second by all workers."),
      .batches_per_second = metrics_.gauge("sumac_server_batches_per_second",
                                           "Mini-batches of the whole job per second."),
  };
}

void ServerStatus::publish(const link::Statistics& link, const MemberView& member,
                           const std::vector<Wait>& waits) {
  pulse_.beat(clock_.now());
  snapshot_.set({link, member, waits});
}

void ServerStatus::publish(const Progress& progress) {
  Progress known = progress;
  known.checkpoint = checkpoint_;
  known.skipped = skipped_;
  progress_.set(known);
}

void ServerStatus::checkpointed(Step step) {
  checkpoint_ = step;
  skipped_.reset();
  if (const auto progress = progress_.get()) publish(*progress);
}

void ServerStatus::skipped(Step step) {
  if (!skipped_) skipped_ = step;
  if (const auto progress = progress_.get()) publish(*progress);
}

void ServerStatus::joined(const RosterBegan& roster) {
  MembershipReport membership = membership_.get();
  membership.term = roster.term;
  membership.generation = roster.generation;
  membership.workers =
      static_cast<int>(std::ranges::count(roster.members, Role::kWorker, &Slot::role));
  membership_.set(membership);
}

void ServerStatus::changed(const MembersChanged& change) {
  MembershipReport membership = membership_.get();
  ++membership.changes;
  membership.last = change;
  membership_.set(membership);
}

HttpServer::Routes ServerStatus::routes() {
  HttpServer::Routes routes;
  routes["/healthz"] = [this] { return health(); };
  routes["/readyz"] = [this] { return readiness(); };
  routes["/metrics"] = [this] { return metrics(); };
  routes["/stuck"] = [this] { return stuckAnswer(snapshot_.get().waits, clock_.now()); };
  if (self_ == Slot{Role::kServer, 0}) {
    routes["/progress"] = [this] { return progress(); };
  }
  return routes;
}

HttpAnswer ServerStatus::health() const {
  HttpAnswer answer;
  const Duration silence = pulse_.silence(clock_.now());
  if (silence < kStuck) {
    answer.body = "ok\n";
    return answer;
  }
  answer.status = 503;
  answer.body = "the reactor has not advanced for " +
                std::to_string(std::chrono::duration_cast<std::chrono::seconds>(silence).count()) +
                " s\n";
  return answer;
}

HttpAnswer ServerStatus::readiness() const {
  HttpAnswer answer;
  answer.body = "ok\n";
  if (!snapshot_.get().member.connected) {
    answer.status = 503;
    answer.body = "no answer from the coordinator yet\n";
  }
  return answer;
}

HttpAnswer ServerStatus::metrics() {
  const Snapshot now = snapshot_.get();
  if (process_metrics_) process_metrics_->update();
  if (link_metrics_) link_metrics_->update(now.link);
  members_.set(static_cast<double>(now.member.members));
  term_.set(now.member.order.term);
  generation_.set(now.member.order.generation);
  for (std::size_t i = 0; i < rejected_pushes_.size(); ++i)
    rejected_pushes_[i].advanceTo(static_cast<double>(now.member.rejected.at(i)));
  if (const auto progress = progress_.get()) {
    if (!job_gauges_) job_gauges_ = makeJobGauges();
    job_gauges_->step.set(static_cast<double>(progress->step));
    job_gauges_->total_steps.set(static_cast<double>(progress->total_steps));
    job_gauges_->epoch.set(static_cast<double>(progress->epoch));
    job_gauges_->loss.set(orNan(progress->loss));
    job_gauges_->samples_per_second.set(orNan(progress->samples_per_second));
    job_gauges_->batches_per_second.set(orNan(progress->batches_per_second));
  }
  return metrics_.answer();
}

std::optional<Step> ServerStatus::step() const {
  const auto progress = progress_.get();
  return progress ? std::optional(progress->step) : std::nullopt;
}

void passOn(const std::string& json, ServerStatus& status, Outlet& outlet) {
  const auto event = jobEventFromLine(json);
  const auto* interim = event ? std::get_if<Interim>(&*event) : nullptr;
  if (interim != nullptr) return status.publish(interim->progress);
  if (const auto* progress = event ? std::get_if<Progress>(&*event) : nullptr) {
    status.publish(*progress);
  } else if (const auto* written = event ? std::get_if<CheckpointWritten>(&*event) : nullptr) {
    status.checkpointed(written->step);
  } else if (const auto* gone = event ? std::get_if<CheckpointSkipped>(&*event) : nullptr) {
    status.skipped(gone->step);
  } else if (const auto* roster = event ? std::get_if<RosterBegan>(&*event) : nullptr) {
    status.joined(*roster);
  } else if (const auto* change = event ? std::get_if<MembersChanged>(&*event) : nullptr) {
    status.changed(*change);
  }
  outlet.writeLine(json);
}

}  // namespace sumac
