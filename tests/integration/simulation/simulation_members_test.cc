#include <algorithm>
#include <random>

#include <boost/test/unit_test.hpp>

#include "tests/integration/simulation/sim_checks.h"

// Jobs whose members come, go and are lost while they train.

namespace sumac {
namespace {

constexpr std::uint64_t kMemberSeeds = 2000;

/// One job and what happens to its members, all of it a function of the seed.
struct Changes {
  explicit Changes(std::uint64_t seed) : random(seed * 6151 + 3) {
    options.seed = seed;
    options.workers = draw(1, 4);
    options.servers = draw(-2, 3);
    options.parts = 8;
    if (options.servers < 1)
      options.sumBy(kSimMethods.at(static_cast<std::size_t>(1 - options.servers)));
    options.most = MostMembers{8, 3, 1};
    options.tensors = {300, 5, 170, 3};
    options.largest_range = draw(80, 240);
    options.longest_run = draw(0, 200);
    options.credit = static_cast<std::uint32_t>(draw(2, 9));
    options.steps = draw(15, 40);
    options.checkpoint_every = draw(0, 4);
    if (isDrawn(3)) options.checkpoint_interval = std::chrono::milliseconds(draw(10, 300));
    if (isDrawn(3)) options.faults.loss = 0.004;
    if (isDrawn(3)) options.faults.flip = 0.004;
    if (isDrawn(3)) options.faults.duplication = 0.02;
    options.faults.lane = link::Lane::kData;
    if (isDrawn(3)) options.break_every_us = draw(5'000, 40'000);
  }

  int draw(int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  }
  bool isDrawn(int of) { return draw(1, of) == 1; }

  void plan(SimJob& job) {
    for (int i = draw(1, 5); i > 0; --i) {
      const Duration at = std::chrono::milliseconds(draw(120, 900));
      switch (draw(1, 5)) {
        case 1:
          job.network().after(at, [&job] {
            if (job.workers() < 8) job.addWorker();
          });
          break;
        case 4: job.network().after(at, [this, &job] { replace(job); }); break;
        case 5: job.network().after(at, [this, &job] { drain(job); }); break;
        case 2: job.network().after(at, [this, &job] { leave(job); }); break;
        default: job.network().after(at, [this, &job] { lose(job); }); break;
      }
    }
  }

  /// Any process, the coordinator, too, is killed, and another one of its slot starts.
  void replace(SimJob& job) {
    std::vector<Slot> living;
    int training = 0;
    for (int i = 0; i < job.workers(); ++i) {
      const Slot slot{Role::kWorker, i};
      if (job.network().isDead(slot) || leaving.contains(slot)) continue;
      training += job.lastStep(i) > 0 ? 1 : 0;
      living.push_back(slot);
    }
    for (int i = 0; i < options.servers; ++i) {
      const Slot slot{Role::kServer, i};
      if (!job.network().isDead(slot) && !leaving.contains(slot)) living.push_back(slot);
    }
    if (training < 2) return;
    const Slot slot =
        living[static_cast<std::size_t>(draw(0, static_cast<int>(living.size()) - 1))];
    job.network().kill(slot);
    job.restartIn(std::chrono::milliseconds(draw(0, 4000)), slot);
  }

  /// The coordinator is asked to stop, and another one of its slot starts once it has ended.
  void drain(SimJob& job) {
    const Slot slot = simCoordinator(options);
    if (job.network().isDead(slot) || leaving.contains(slot)) return;
    const Member before = job.network().newest(slot);
    job.network().after(before, Duration{}, [&job, slot] { job.leave(slot); });
    job.restartAfter(before, std::chrono::milliseconds(draw(1, 300)));
  }

  /// Not the coordinator, and not the last one that trains.
  std::optional<Slot> victim(SimJob& job) {
    std::vector<Slot> living;
    int training = 0;
    for (int i = 0; i < job.workers(); ++i) {
      const Slot slot{Role::kWorker, i};
      if (job.network().isDead(slot) || leaving.contains(slot)) continue;
      if (job.lastStep(i) > 0) ++training;
      living.push_back(slot);
    }
    for (int i = 0; i < options.servers; ++i) {
      const Slot slot{Role::kServer, i};
      if (!job.network().isDead(slot) && !leaving.contains(slot)) living.push_back(slot);
    }
    std::erase(living, simCoordinator(options));
    if (training < 2 || living.empty()) return std::nullopt;
    return living[static_cast<std::size_t>(draw(0, static_cast<int>(living.size()) - 1))];
  }
  void leave(SimJob& job) {
    const auto slot = victim(job);
    if (!slot) return;
    leaving.insert(*slot);
    job.network().after(*slot, Duration{}, [&job, slot = *slot] { job.leave(slot); });
  }
  void lose(SimJob& job) {
    const auto slot = victim(job);
    if (!slot) return;
    leaving.insert(*slot);
    job.network().kill(*slot);
  }

  std::mt19937_64 random;
  SimOptions options;
  std::set<Slot> leaving;
};

void checkChanged(const SimJob& job, const Changes& changes) {
  const std::vector<float> reference = simReference(changes.options, changes.options.steps);
  for (const auto& [slot, end] : job.ends()) {
    const bool left = changes.leaving.contains(slot) && end.code == ExitCode::kStopped;
    BOOST_TEST((left || end.code == ExitCode::kDone),
               slot << ": " << toInt(end.code) << ' ' << end.reason);
    if (left || slot.role != Role::kWorker || end.code != ExitCode::kDone) continue;
    if (job.lastStep(slot.index) == 0) continue;  // who came when all steps were done
    BOOST_TEST(job.lastStep(slot.index) == changes.options.steps);
    BOOST_TEST((job.weights(slot.index) == reference), "weights of " << slot << " differ");
  }
  BOOST_TEST(job.files().result.has_value());
  checkCheckpoint(job, changes.options);
}

/// Returns the highest generation of a roster.
std::uint64_t runChanged(std::uint64_t seed) {
  Changes changes(seed);
  SimJob job(changes.options);
  changes.plan(job);
  BOOST_TEST_CONTEXT("seed " << seed) {
    try {
      job.run();
      checkChanged(job, changes);
    } catch (const std::logic_error& broken) {
      BOOST_ERROR(broken.what());
    }
  }
  return job.highestGeneration();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(simulation_members)

// What longer runs have found: a lane given up after the last step, on which one still waited for a
// contribution; a checkpoint older than the newest.
BOOST_AUTO_TEST_CASE(what_was_wrong_once_is_right) {
  for (const std::uint64_t seed : {42503U, 72860U})
    runChanged(seed);
}

BOOST_AUTO_TEST_CASE(whoever_comes_goes_or_is_lost_the_bits_are_those_of_a_single_process) {
  const std::uint64_t first = simSetting("SUMAC_SIMULATION_FIRST_SEED", 1);
  const std::uint64_t seeds = simSetting("SUMAC_SIMULATION_SEEDS", kMemberSeeds);
  std::uint64_t generations = 0;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed)
    generations += runChanged(seed);
  BOOST_TEST_MESSAGE(generations << " rosters");
  BOOST_TEST(generations > seeds);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac
