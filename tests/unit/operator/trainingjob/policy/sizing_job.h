#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "operator/trainingjob/policy/autoscaling.h"
#include "operator/trainingjob/policy/autoscaling_room.h"
#include "planner/autoscaling/useful_sizes.h"
#include "tests/unit/operator/trainingjob/job_fixture.h"

namespace sumac::trainingjob {

/// A job of 8 parts and 1 to 8 workers that sizes itself, on nodes with room for some of its
/// workers. A step takes `part` seconds for each part of the busiest worker and, of more than one
/// worker, `exchange` for each worker.
struct SizingJob : JobFixture {
  SizingJob() {
    job.min_replicas = 1;
    job.max_replicas = 8;
    job.worker_replicas = 5;
    job.autoscaling.emplace();
    record.changes_members = true;
    observed.progress.emplace();
    observed.progress->total_steps = 10'000'000;
    observed.membership = MembershipReport{.term = 1, .generation = 1, .changes = 0, .last = {}};
  }

  double part = 0.1;
  double exchange = 0.001;
  int room = 8;   // workers with a node
  int quota = 8;  // workers that the API server takes
  bool reads_quotas = false;
  int refusals = 0;

  std::optional<WallTime> refused_since = {};

  int desired() const { return status().worker.desired; }
  const api::AutoscalingStatus& chosen() const { return *status().autoscaling; }

  int ready() const {
    return static_cast<int>(std::ranges::count_if(pods, [](const api::Pod& pod) {
      return pod.slot.role == Role::kWorker && pod.is_ready && !pod.meta.deleted;
    }));
  }

  double stepSeconds(int workers) const {
    return part * autoscaling::busiestParts(8, workers) + (workers > 1 ? exchange * workers : 0);
  }

  /// The cluster, until nothing changes: pods end, get nodes and become ready.
  void play() {
    for (int i = 0; i < 4; ++i) {
      settle();
      letGo();
      refuse();
      showQuota();
      int placed = 0;
      for (api::Pod& each : pods) {
        if (each.slot.role == Role::kWorker && ++placed > room) {
          each.unscheduled_reason = "Unschedulable";
          continue;
        }
        each.phase = api::PodPhase::kRunning;
        each.is_scheduled = each.is_running = each.is_ready = true;
      }
    }
    settle();
  }

  void refuse() {
    observed.refusal.reset();
    const auto above = [this](const api::Pod& pod) {
      return pod.slot.role == Role::kWorker && pod.slot.index >= quota;
    };
    if (std::erase_if(pods, above) == 0) return refused_since.reset();
    ++refusals;
    if (!refused_since) refused_since = now;
    const std::string most = std::to_string(quota);
    observed.refusal =
        Refusal{.what = "pod lenet5-worker-" + most,
                .status = 403,
                .reason = "Forbidden",
                .message = "exceeded quota: few, requested: pods=1, used: pods=" + most +
                           ", limited: pods=" + most,
                .is_quota = true,
                .lasts = std::chrono::duration_cast<Duration>(now - *refused_since)};
  }

  void showQuota() {
    observed.quotas.reset();
    if (!reads_quotas) return;
    const auto made =
        std::ranges::count(pods, Role::kWorker, [](const api::Pod& pod) { return pod.slot.role; });
    observed.quotas.emplace().push_back(std::make_shared<const api::ResourceQuota>(
        api::ResourceQuota{.key = {job.meta.key.name_space, "few"},
                           .hard = {{"pods", quota}},
                           .used = {{"pods", static_cast<double>(made)}}}));
  }

  /// Those who are ready train for ten seconds, and slot 0 is asked.
  void trainOnce() {
    advance(seconds(10));
    const int workers = ready();
    MembershipReport& members = *observed.membership;
    if (workers != members.workers) {
      ++members.generation;
      ++members.changes;
      members.workers = workers;
      members.last.emplace();
      members.last->pause_seconds = 0.5;
    }
    Progress& progress = *observed.progress;
    const double step_seconds = stepSeconds(workers);
    const auto steps = static_cast<Step>(10 / step_seconds);
    const int fewest = 8 / workers;
    const double compute = part * fewest;
    progress.step += steps;
    const auto add = [&](std::optional<double>& sum, double each) {
      sum = sum.value_or(0) + static_cast<double>(steps) * each;
    };
    add(progress.gradient_seconds, compute);
    add(progress.sum_wait_seconds, step_seconds - compute);
    add(progress.update_seconds, 0);
    add(progress.data_wait_seconds, 0);
    play();
  }

  /// Whether it becomes so within a day.
  template <typename Condition>
  bool trainUntil(const Condition& condition) {
    for (int i = 0; i < 8640; ++i) {
      if (condition()) return true;
      trainOnce();
    }
    return false;
  }

  void train(int time) {
    for (int passed = 0; passed < time; passed += 10)
      trainOnce();
  }
};

}  // namespace sumac::trainingjob
