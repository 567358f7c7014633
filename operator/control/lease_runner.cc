#include "operator/control/lease_runner.h"

#include <utility>

#include "kube/client/backoff.h"

namespace sumac::control {
namespace {

LeaderElection::Written outcomeOf(const kube::LeaseReply& reply) {
  if (!reply.failure) return LeaderElection::Written::kDone;
  return reply.failure->status == 409 ? LeaderElection::Written::kConflict
                                      : LeaderElection::Written::kFailed;
}

}  // namespace

LeaseRunner::LeaseRunner(LeaseRunnerParts parts, ElectionOptions options, LeaseRunnerCalls calls,
                         std::uint64_t seed, const Log& log)
    : parts_(parts),
      calls_(std::move(calls)),
      log_(log.with({"identity", options.identity})),
      rng_(seed, 0),
      pulse_(parts.clock.now()),
      election_(std::move(options)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void LeaseRunner::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    round(stop);
    publish();
    pulse_.beat(parts_.clock.now());
    if (election_.state() == LeaderElection::State::kLost) return;
    const auto random = static_cast<double>(rng_.uniform(rounds_++));
    const Duration wait = election_.nextRound(parts_.clock.now(), random);
    kube::sleepFor(wait, stop);
  }
}

void LeaseRunner::round(const std::stop_token& stop) {
  if (const auto renewal = election_.renewal(parts_.clock.now(), parts_.wall.now())) {
    if (write(*renewal) != LeaderElection::Written::kConflict) return;
  }
  kube::LeaseReply reply = parts_.client.get(stop);
  if (stop.stop_requested()) return;
  LeaderElection::Seen seen;
  seen.failed = reply.failure && !reply.failure->isNotFound();
  if (seen.failed) {
    log_.warn("the lease cannot be read", {{"error", reply.failure->message}});
  }
  if (reply) seen.record = std::move(reply.record);
  if (const auto claim = election_.observe(seen, parts_.clock.now(), parts_.wall.now())) {
    write(*claim);
  }
}

LeaderElection::Written LeaseRunner::write(const LeaderElection::Write& write) {
  // Not interrupted by our stop: release() needs the version that this write creates.
  const std::stop_token never;
  const TimePoint sent = parts_.clock.now();
  const kube::LeaseReply reply = write.create ? parts_.client.create(write.record, never)
                                              : parts_.client.update(write.record, never);
  if (reply.failure) {
    log_.info("the lease was not written", {{"error", reply.failure->message}});
  }
  const LeaderElection::Written outcome = outcomeOf(reply);
  election_.wrote(outcome, reply.record, sent, parts_.clock.now());
  return outcome;
}

void LeaseRunner::publish() {
  using State = LeaderElection::State;
  if (election_.holder() != last_holder_) {
    last_holder_ = election_.holder();
    log_.info("the lease has a holder", {{"holder", last_holder_}});
  }
  if (election_.state() == State::kLeader) {
    parts_.gate.openUntil(election_.leaderUntil());
    if (!is_leader_.exchange(true)) calls_.on_leading();
  } else {
    parts_.gate.shut();
    is_leader_ = false;
    if (election_.state() == State::kLost) calls_.on_lost(election_.loss());
  }
}

void LeaseRunner::release() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  parts_.gate.shut();
  is_leader_ = false;
  election_.tick(parts_.clock.now());
  const auto record = election_.release(parts_.wall.now());
  if (!record) return;
  const kube::LeaseReply reply = parts_.client.update(*record, std::stop_token());
  if (reply.failure) {
    log_.warn("the lease was not released; the next leader waits until it is over",
              {{"error", reply.failure->message}});
  } else {
    log_.info("the lease is released");
  }
}

}  // namespace sumac::control
