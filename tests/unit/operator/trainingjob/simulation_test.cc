#include <array>
#include <cstdint>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <rapidcheck/boost_test.h>

#include "tests/unit/operator/trainingjob/simulated_cluster.h"

namespace sumac::trainingjob::simulation_test {
namespace {

/// One thing that happens; shrunk by leaving some out.
using Happening = std::pair<std::uint8_t, std::uint8_t>;

enum Kind : std::uint8_t {
  kPass,
  kCutPass,
  kDeliverJob,
  kDeliverPods,
  kDeliverAll,
  kQuiet,
  kStartPods,
  kStartPod,
  kEndPod,
  kTrain,
  kAdvance,
  kAdvanceFar,
  kCrash,
  kEvict,
  kLoseNode,
  kDeletePod,
  kDeleteChild,
  kSuspend,
  kScale,
  kComplete,
  kRestartOperator,
  kTakeOver,
  kRoom,
  kQuota,
  kAutoscaling,
};

// Most happenings are the machinery at work; mishaps are rarer, so that jobs get somewhere.
constexpr std::array kKinds = {
    kPass,        kPass,        kPass,       kCutPass,    kCutPass,  kDeliverJob,
    kDeliverPods, kDeliverPods, kDeliverAll, kDeliverAll, kQuiet,    kQuiet,
    kQuiet,       kStartPods,   kStartPods,  kStartPod,   kEndPod,   kEndPod,
    kEndPod,      kTrain,       kTrain,      kAdvance,    kAdvance,  kAdvanceFar,
    kCrash,       kCrash,       kCrash,      kEvict,      kLoseNode, kDeletePod,
    kDeleteChild, kSuspend,     kSuspend,    kScale,      kComplete, kRestartOperator,
    kTakeOver,    kRoom,        kQuota,      kAutoscaling};

void crash(SimulatedCluster& cluster, int value) {
  constexpr std::array kCodes = {139, 134, 137, 75, 143, 0, 3, 1, 78};
  // Codes that end the job are rare, or few jobs would live.
  const bool is_rare = value % 16 == 0;
  cluster.crash(value, kCodes[static_cast<std::size_t>(is_rare ? value % 9 : value % 7)]);
}

void happenToPods(SimulatedCluster& cluster, Kind kind, int value) {
  switch (kind) {
    case kStartPods:
      for (int i = 0; i < 5; ++i)
        cluster.startPod(i);
      break;
    case kStartPod: cluster.startPod(value); break;
    case kEndPod: cluster.endPod(value); break;
    case kTrain: cluster.train(value); break;
    case kCrash: crash(cluster, value); break;
    case kEvict: cluster.evict(value); break;
    case kLoseNode: cluster.loseNode(value); break;
    case kDeletePod: cluster.deletePod(value); break;
    case kDeleteChild: cluster.deleteChild(value); break;
    case kComplete: value % 4 == 0 ? cluster.completeTraining() : cluster.train(value); break;
    default: break;
  }
}

void happen(SimulatedCluster& cluster, const Happening& happening) {
  const auto kind = kKinds[happening.first % kKinds.size()];
  const int value = happening.second;
  switch (kind) {
    case kPass: cluster.pass(Cut::kNever, 0); break;
    case kCutPass: cluster.pass(static_cast<Cut>(value % 5), value / 5 % 8); break;
    case kDeliverJob: cluster.deliverJob(); break;
    case kDeliverPods: cluster.deliverPods(value % 4); break;
    case kDeliverAll:
      cluster.deliverJob();
      cluster.deliverPods(1000);
      break;
    case kQuiet: cluster.step(); break;
    case kAdvance: cluster.advance(value % 8); break;
    case kAdvanceFar: cluster.advance(value); break;
    case kSuspend: cluster.setSuspend(value % 2 == 0); break;
    case kScale: cluster.setReplicas(1 + value % 5); break;
    case kRestartOperator: cluster.restartOperator(); break;
    case kRoom: cluster.setRoom(value % 4 == 0 ? kRoomy : 2 + value % 5); break;
    case kQuota: cluster.setQuota(value % 4 == 0 ? kRoomy : 2 + value % 5); break;
    case kAutoscaling: cluster.setAutoscaling(value % 4 != 0); break;
    case kTakeOver: cluster.takeOver(value % 16); break;
    default: happenToPods(cluster, kind, value);
  }
}

constexpr int kMostHappenings = 300;

std::vector<Happening> drawHappenings(int most) {
  return *rc::gen::resize(most, rc::gen::arbitrary<std::vector<Happening>>());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(simulation)

// RC_PARAMS="seed=... max_success=..." repeats or prolongs.
RC_BOOST_PROP(rules_hold_whatever_happens_and_every_job_comes_to_rest, ()) {
  const auto happenings = drawHappenings(kMostHappenings);
  SimulatedCluster cluster({.servers = *rc::gen::inRange(0, 3),
                            .is_elastic = *rc::gen::arbitrary<bool>(),
                            .changes_members = *rc::gen::arbitrary<bool>(),
                            .sizes_itself = *rc::gen::arbitrary<bool>(),
                            .reads_quotas = *rc::gen::arbitrary<bool>()});

  for (const Happening& happening : happenings)
    happen(cluster, happening);
  cluster.setSuspend(false);
  if (*rc::gen::arbitrary<bool>()) cluster.growInVain();
  cluster.converge();

  RC_CLASSIFY(cluster.status().isTrue("Succeeded"), "succeeded");
  RC_CLASSIFY(cluster.status().isTrue("Failed"), "failed");
  RC_CLASSIFY(cluster.status().attempt > 3, "more than three attempts");
  RC_CLASSIFY(cluster.hasGoneBack(), "went back to the size that ran");
  RC_CLASSIFY(cluster.status().replaced > 0, "replaced a pod");
  RC_CLASSIFY(cluster.status().resizes > 0, "changed its size in place");
  RC_CLASSIFY(cluster.status().autoscaling && cluster.status().autoscaling->last_change,
              "chose another size itself");
  RC_CLASSIFY(cluster.status().restarts > 0, "restarted after a failure");
  RC_CLASSIFY(cluster.status().disruptions > 0, "restarted after a disruption");
}

// It trains in between: jobs to which too much happens never choose a size.
RC_BOOST_PROP(rules_hold_of_jobs_that_size_themselves_in_place, ()) {
  const auto happenings = drawHappenings(kMostHappenings / 4);
  SimulatedCluster cluster({.servers = *rc::gen::inRange(0, 2),
                            .is_elastic = true,
                            .changes_members = true,
                            .sizes_itself = true,
                            .reads_quotas = *rc::gen::arbitrary<bool>()});
  for (const Happening& happening : happenings) {
    for (int i = 0; i < 2; ++i) {
      cluster.train(100);
      cluster.step();
    }
    happen(cluster, happening);
  }
  cluster.setSuspend(false);
  cluster.converge();

  RC_CLASSIFY(cluster.status().resizes == 0, "never changed its size in place");
  RC_CLASSIFY(cluster.status().resizes > 5, "changed its size more than five times");
  RC_CLASSIFY(cluster.status().autoscaling && cluster.status().autoscaling->room &&
                  !cluster.status().autoscaling->room->quota.empty(),
              "waits for a quota at its end");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::trainingjob::simulation_test
