#include <algorithm>
#include <random>
#include <string>

#include <boost/test/unit_test.hpp>

#include "tests/integration/simulation/sim_checks.h"

// Jobs drawn by a seed, with faults drawn by the seed: SUMAC_SIMULATION_SEEDS of them, from
// SUMAC_SIMULATION_FIRST_SEED on.

namespace sumac {
namespace {

constexpr std::uint64_t kSeeds = 4000;  // what fits into `make test`

enum class Ending : std::uint8_t { kComplete, kStopped, kKilled };

/// One job and what is done to it, all of it a function of the seed.
struct Chaos {
  explicit Chaos(std::uint64_t seed) : random(seed * 7919 + 1) {
    options.seed = seed;
    options.workers = draw(1, 4);
    options.servers = draw(-3, 3);
    if (options.servers < 1)
      options.sumBy(simMethod(static_cast<std::uint64_t>(1 - options.servers)));
    // Half of those that send directly leave it open, with whatever is measured, or claimed.
    if (options.method == ExchangeMethod::kDirect && seed % 2 == 0) {
      options.sumBy(std::nullopt);
      for (int i = 0; i < options.workers; ++i)
        options.add_rates[i] = seed % 3 == 0 ? 1 : seed * 1'000'000'000;
    }
    options.parts = draw(options.workers, 8);
    options.tensors = {300, 5, 170, 3};
    options.largest_range = draw(40, 120);  // 12 to 4 ranges
    options.longest_run = draw(0, 200);     // of one range, or of some
    options.credit = static_cast<std::uint32_t>(draw(2, 9));
    options.steps = draw(8, 24);
    options.checkpoint_every = draw(0, 4);
    if (isDrawn(2)) options.faults.loss = 0.004;
    if (isDrawn(2)) options.faults.flip = 0.004;
    if (isDrawn(2)) options.faults.duplication = 0.02;
    options.faults.lane = link::Lane::kData;
    options.faults.late = true;
    if (isDrawn(2)) options.break_every_us = draw(5'000, 40'000);
    if (isDrawn(4)) options.slow[draw(0, options.workers - 1)] = shortly() / 10;
    ending = isDrawn(4) ? Ending::kStopped : isDrawn(6) ? Ending::kKilled : Ending::kComplete;
    if (ending != Ending::kComplete) options.steps = 100'000;
    if (isDrawn(3)) options.checkpoint_interval = shortly() / 4;
    if (isDrawn(6)) options.codec = isDrawn(2) ? Codec::kBf16 : Codec::kFp16;
    options.has_rare_rows = isDrawn(4);
  }

  int draw(int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  }
  bool isDrawn(int of) { return draw(1, of) == 1; }
  Slot member() {
    const int which = draw(0, options.workers + options.servers - 1);
    return which < options.workers ? Slot{Role::kWorker, which}
                                   : Slot{Role::kServer, which - options.workers};
  }
  Duration soon() { return std::chrono::milliseconds(draw(150, 500)); }
  Duration shortly() { return std::chrono::milliseconds(draw(50, 1200)); }

  /// The faults that are no matter of single messages.
  void plan(SimJob& job) {
    SimNetwork& network = job.network();
    if (isDrawn(3)) {
      network.after(soon(),
                    [&network, slot = member(), time = shortly()] { network.pause(slot, time); });
    }
    if (isDrawn(3)) {
      network.after(soon(), [&network, from = member(), to = member(), time = shortly()] {
        network.cut(from, to, time, link::Lane::kData);
      });
    }
    if (isDrawn(4)) network.readSlowly(member(), std::chrono::microseconds(draw(200, 3000)));
    subject = member();
    if (ending != Ending::kComplete) network.after(soon(), [this, &job] { endIt(job); });
  }

  /// Not before everybody has heard of the others: who has not, waits for a coordinator for as long
  /// as it lives.
  void endIt(SimJob& job) {
    SimNetwork& network = job.network();
    bool is_training = true;
    for (int i = 0; i < options.workers; ++i)
      is_training = is_training && job.lastStep(i) > 0;
    if (!is_training) return network.after(shortly() / 20, [this, &job] { endIt(job); });
    if (ending == Ending::kKilled) return network.kill(*subject);
    network.after(*subject, Duration{}, [&job, slot = *subject] { job.leave(slot); });
  }

  std::mt19937_64 random;
  SimOptions options;
  Ending ending = Ending::kComplete;
  std::optional<Slot> subject;  // who is asked to stop, or killed
};

void add(SimCounts& sum, const SimCounts& one) {
  sum.lost += one.lost;
  sum.flipped += one.flipped;
  sum.flipped_payloads += one.flipped_payloads;
  sum.duplicated += one.duplicated;
  sum.late += one.late;
  sum.broken += one.broken;
  sum.cut += one.cut;
  sum.paused += one.paused;
  sum.queued += one.queued;
  sum.no_credit += one.no_credit;
}

/// A pair that failed three times in a row gives up, and both are named: with so many damaged
/// messages that happens by chance.
bool isTorn(const SimJob& job) {
  return std::ranges::any_of(job.ends(), [](const auto& end) {
    return end.second.reason.starts_with("lost the connection between worker ");
  });
}

/// Where the worker's word of it is lost with its connection, the others have lost the worker.
void checkTorn(const SimJob& job, const Chaos& chaos) {
  checkEnds(job, chaos.options, ExitCode::kLostPeers);
  const auto torn = std::ranges::find_if(job.ends(), [](const auto& end) {
    return end.second.reason.starts_with("lost the connection between worker ");
  });
  const std::string worker = toString(torn->first);
  for (const auto& [slot, end] : job.ends()) {
    const bool fits = end.reason == torn->second.reason ||
                      end.reason == "lost " + worker + " (no heartbeat for 3 s)";
    BOOST_TEST(fits, end.reason);
  }
  BOOST_TEST(!job.files().result.has_value());
}

void checkStopped(const SimJob& job, const Chaos& chaos) {
  checkEnds(job, chaos.options, ExitCode::kStopped);
  BOOST_TEST(job.checkpoint().has_value());
  BOOST_TEST(!job.files().result.has_value());
}

/// All others say who was lost, or between whom nothing passes any more.
void checkKilled(const SimJob& job, const Chaos& chaos) {
  const auto others = static_cast<std::size_t>(chaos.options.workers + chaos.options.servers - 1);
  BOOST_TEST(job.ends().size() == others);
  for (const auto& [slot, end] : job.ends()) {
    BOOST_TEST(toInt(end.code) == 75, slot << ": " << end.reason);
    const bool names = end.reason.find(toString(*chaos.subject)) != std::string::npos;
    BOOST_TEST((names || isTorn(job)), end.reason);
  }
  BOOST_TEST(!job.files().result.has_value());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(simulation_chaos)

BOOST_AUTO_TEST_CASE(jobs_end_with_the_bits_of_a_single_process_or_name_who_was_lost) {
  const std::uint64_t first = simSetting("SUMAC_SIMULATION_FIRST_SEED", 1);
  const std::uint64_t seeds = simSetting("SUMAC_SIMULATION_SEEDS", kSeeds);
  SimCounts sum;
  link::Statistics lanes;
  std::uint64_t torn = 0;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    Chaos chaos(seed);
    SimJob job(chaos.options);
    chaos.plan(job);
    BOOST_TEST_CONTEXT("seed " << seed) {
      job.run();
      if (isTorn(job) && chaos.ending != Ending::kKilled) {
        ++torn;
        checkTorn(job, chaos);
      } else if (chaos.ending == Ending::kStopped) {
        checkStopped(job, chaos);
      } else if (chaos.ending == Ending::kKilled) {
        checkKilled(job, chaos);
      } else {
        checkComplete(job, chaos.options);
      }
      checkCheckpoint(job, chaos.options);
      checkNothingRejected(job, chaos.options);
      BOOST_TEST(job.highestGeneration() <= 1U);
    }
    add(sum, job.counts());
    const link::Statistics one = job.network().statistics();
    lanes.gaps += one.gaps;
    lanes.resent += one.resent;
    lanes.reopened += one.reopened;
  }
  BOOST_TEST_MESSAGE(torn << " of " << seeds << " jobs had a pair that gave up");
  constexpr std::uint64_t kByChance = 5;  // in a few seeds
  BOOST_TEST(torn <= kByChance + seeds / 500);
  if (seeds < kSeeds) return;  // a few: what happens is a matter of chance
  for (const std::uint64_t happened :
       {sum.lost, sum.flipped, sum.flipped_payloads, sum.duplicated, sum.late, sum.broken, sum.cut,
        sum.paused, sum.queued, sum.no_credit, lanes.gaps, lanes.resent, lanes.reopened})
    BOOST_TEST(happened > seeds / 10);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac
