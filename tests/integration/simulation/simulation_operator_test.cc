#include <random>

#include <boost/test/unit_test.hpp>

#include "tests/integration/simulation/sim_checks.h"
#include "tests/integration/simulation/sim_operator.h"

// Jobs in a cluster, whose operator decides as in production which of the processes start, end and
// come back.

namespace sumac {
namespace {

constexpr std::uint64_t kOperatedSeeds = 40;
constexpr std::uint64_t kEvery =
    10;  // of more seeds: each takes five times as long as one of members

struct ClusterJob {
  explicit ClusterJob(std::uint64_t seed) : random(seed * 4637 + 5) {
    options.seed = seed;
    options.workers = draw(1, 4);
    options.servers = draw(0, 2);
    options.parts = 8;
    if (options.servers == 0) options.sumBy(ExchangeMethod::kScatterGather);
    options.most = MostMembers{8, 2, 1};
    options.limits.flapping = Duration{};
    options.is_operated = true;
    options.tensors = {300, 5, 170, 3};
    options.largest_range = 120;
    options.steps = 400;
    options.checkpoint_every = 10;
  }

  int draw(int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  }

  void plan(SimJob& job, SimOperator& cluster) {
    for (int i = draw(1, 6); i > 0; --i) {
      const Duration at = std::chrono::milliseconds(draw(500, 6000));
      job.network().after(at, [this, &job, &cluster, kind = draw(1, 4), pick = random()] {
        happen(job, cluster, kind, pick);
      });
    }
  }

  void happen(SimJob& job, SimOperator& cluster, int kind, std::uint64_t pick) const {
    job.watch().expect(job.network().now() +
                       std::chrono::seconds(45));  // what the operator's pauses take
    if (kind == 1) return cluster.scaleTo(1 + static_cast<int>(pick % 8));
    const std::vector<Slot> running = cluster.running();
    if (running.empty()) return;
    const Slot slot = running[pick % running.size()];
    kind == 2 ? cluster.evict(slot) : job.kill(slot);
  }

  std::mt19937_64 random;
  SimOptions options;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(simulation_operator)

BOOST_AUTO_TEST_CASE(whatever_is_killed_evicted_or_scaled_the_operator_brings_the_job_to_its_end) {
  const std::uint64_t first = simSetting("SUMAC_SIMULATION_FIRST_SEED", 1);
  const std::uint64_t seeds = simSetting("SUMAC_SIMULATION_SEEDS", kOperatedSeeds);
  std::uint64_t jobs = 0;
  int resizes = 0;
  int replaced = 0;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    if (seeds > kOperatedSeeds && seed % kEvery != 0) continue;
    ++jobs;
    ClusterJob one(seed);
    SimJob job(one.options);
    SimOperator cluster(one.options, job);
    one.plan(job, cluster);
    cluster.start();
    BOOST_TEST_CONTEXT("seed " << seed) {
      try {
        job.runUntil([&cluster] { return cluster.isOver(); });
      } catch (const std::logic_error& broken) {
        BOOST_ERROR(broken.what());
      }
      BOOST_TEST(cluster.status().state == "Succeeded");
      BOOST_TEST(job.files().result.has_value());
      checkCheckpoint(job, one.options);
    }
    resizes += cluster.status().resizes;
    replaced += cluster.status().replaced;
  }
  // Of a few it is a matter of chance.
  BOOST_TEST((jobs < kOperatedSeeds || (resizes > 0 && replaced > 0)));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac
