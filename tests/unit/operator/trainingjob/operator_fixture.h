#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "operator/trainingjob/job_reconciler.h"
#include "tests/support/manual_clock.h"
#include "tests/unit/operator/trainingjob/fake_cluster.h"

namespace sumac::trainingjob {

/// A job of `workers` workers and `servers` servers, as a user writes it; without servers it is
/// decentralised. Its members may not change while it trains.
nlohmann::json aManifest(const std::string& name = "lenet5", int workers = 2, int servers = 1);
/// The same, of a job whose members may change.
nlohmann::json anElasticManifest(const std::string& name = "lenet5", int workers = 2,
                                 int servers = 1);

class ManualWallClock final : public WallClock {
 public:
  WallTime now() const override { return now_; }
  void advance(Duration by) { now_ += std::chrono::duration_cast<std::chrono::microseconds>(by); }

 private:
  WallTime now_{std::chrono::microseconds(1'769'860'800'000'000)};
};

class RecordingEvents final : public kube::EventSink {
 public:
  void emit(const kube::EventTarget&, const kube::EventNote& note) override {
    reasons.push_back(note.reason);
  }
  bool has(const std::string& reason) const;
  std::vector<std::string> reasons;
};

class FixedProgress final : public ProgressSource {
 public:
  void follow(const ProgressTarget& target) override { targets[target.key] = target; }
  void forget(const api::ObjectKey& key) override { targets.erase(key); }
  std::optional<ProgressAnswer> latest(const api::ObjectKey&, const std::string&,
                                       int) const override {
    if (!progress) return std::nullopt;
    return ProgressAnswer{.progress = *progress, .membership = membership};
  }
  std::map<api::ObjectKey, ProgressTarget> targets;
  std::optional<Progress> progress;
  std::optional<MembershipReport> membership;
};

/// ResourceQuotas of every namespace; not known until a test gives some.
struct FixedQuotas final : cache::QuotaCache {
  std::optional<api::Quotas> of(const std::string&) const override { return quotas; }
  /// One that limits pods.
  void give(const std::string& name, int hard, int used);
  std::optional<api::Quotas> quotas;
};

/// An operator over a fake cluster. Nothing happens by itself: the test calls pass(), lets the
/// watches deliver and plays the kubelet.
struct OperatorFixture {
  OperatorFixture();

  /// The operator is killed and another one starts: all notes are gone.
  /// With 0 helpers in flight a pass sends its requests one after the other.
  void restartOperator(int in_flight = 4);

  /// One pass over the job; the watches deliver before it.
  control::PassResult pass(const std::string& job = "lenet5");
  /// One pass over what the caches have, old or not.
  control::PassResult passWithoutWatch(const std::string& job = "lenet5");
  /// Passes until one has nothing to send.
  void settle(const std::string& job = "lenet5");
  void advance(Duration by);
  /// Passes for 30 s over a job one of whose requests fails. Checks that the reason of Running
  /// changes at their end only, from `before` to RequestFailing.
  void failFor30s(const std::string& before);

  void submit(const nlohmann::json& manifest);
  /// The kubelet: all pods of the job run and are ready.
  void runPods(const std::string& job = "lenet5");
  void endPod(const std::string& name, int exit_code, const std::string& message);
  /// All pods that are being deleted are gone.
  void finishDeletions();

  nlohmann::json status(const std::string& job = "lenet5") const;
  std::string reasonOf(const std::string& condition, const std::string& job = "lenet5") const;
  bool isTrue(const std::string& condition, const std::string& job = "lenet5") const;

  FakeCluster cluster;
  ManualClock clock;
  ManualWallClock wall_clock;
  RecordingEvents events;
  FixedProgress progress;
  FixedQuotas quotas;
  std::vector<std::string> written_states;  // before and after: "Pending>Running"
  Defaults defaults;
  std::stop_source stop;
  std::unique_ptr<control::Reconciler> reconciler;
};

inline constexpr const char* kResultMessage =
    R"({"state":"Succeeded","steps":470,"loss":0.3,"testAccuracy":0.9})";

}  // namespace sumac::trainingjob
