#include <algorithm>
#include <string>
#include <utility>

#include <boost/test/unit_test.hpp>

#include "tests/integration/simulation/sim_checks.h"

namespace sumac {

BOOST_AUTO_TEST_SUITE(simulation_faults)

// Nothing but the lanes makes this good: there is no new generation.
BOOST_AUTO_TEST_CASE(messages_lost_damaged_or_doubled_on_data_lanes_change_no_bit) {
  std::uint64_t reopened = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SimOptions options{.workers = static_cast<int>(1 + seed % 4),
                       .servers = static_cast<int>(1 + seed / 4 % 3),
                       .parts = static_cast<int>(4 + seed % 5),
                       .seed = seed};
    options.sumBy(simMethod(seed / 3 + 1));
    if (options.servers == 0) options.workers = std::max(options.workers, 2);  // or nobody sends
    options.steps = 40;
    options.largest_range = 300;  // many messages
    options.faults.lane = link::Lane::kData;
    if (seed % 3 != 1) options.faults.loss = 0.005;
    if (seed % 3 != 2) options.faults.flip = 0.005;
    options.faults.duplication = 0.02;
    if (seed > 20) options.break_every_us = 20'000;
    if (seed > 20) options.break_lane = link::Lane::kData;
    SimJob job(options);
    BOOST_TEST_CONTEXT("seed " << seed) {
      runToTheEnd(job, options);
      if (seed % 3 != 1) BOOST_TEST(job.counts().lost > 0U);
      if (seed % 3 != 2) BOOST_TEST(job.counts().flipped > 0U);
      BOOST_TEST(job.counts().duplicated > 0U);
      BOOST_TEST(job.highestGeneration() == 1U);
    }
    reopened += job.network().statistics().reopened;
  }
  BOOST_TEST(reopened > 30U);
}

BOOST_AUTO_TEST_CASE(damaged_control_messages_change_no_bit) {
  std::uint64_t flipped = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SimOptions options{.workers = 3, .servers = 2, .seed = seed};
    options.sumBy(simMethod(seed));
    options.faults.flip = 0.01;
    options.largest_range = 1000;
    SimJob job(options);
    BOOST_TEST_CONTEXT("seed " << seed) {
      runToTheEnd(job, options);
      flipped += job.counts().flipped;
    }
  }
  BOOST_TEST(flipped > 20U);
}

// Either direction: heartbeats have a lane of their own and show nothing. Of two workers the one
// with the higher index dials.
BOOST_AUTO_TEST_CASE(a_data_lane_that_is_mute_for_good_ends_the_job_and_names_both_ends) {
  for (const ExchangeMethod method : kSimMethods) {
    for (const bool is_there : {true, false}) {
      SimOptions options{.workers = 3, .servers = 2, .steps = 100'000};
      options.sumBy(method);
      const Slot dials{Role::kWorker, method == ExchangeMethod::kHalvingDoubling ? 3 : 2};
      const Slot listens = options.sum(1);
      SimJob job(options);
      TimePoint begun;
      job.network().after(std::chrono::milliseconds(500), [&] {
        begun = job.network().now();
        job.network().cut(is_there ? dials : listens, is_there ? listens : dials,
                          std::chrono::hours(1), link::Lane::kData);
      });
      job.run();
      BOOST_TEST_CONTEXT("there: " << is_there << ", method " << static_cast<int>(method)) {
        checkEnds(job, options, ExitCode::kLostPeers);
        for (const auto& [slot, end] : job.ends())
          BOOST_TEST(end.reason.starts_with("lost the connection between " + toString(dials) +
                                            " and " + toString(listens) + " ("),
                     end.reason);
        BOOST_TEST(job.counts().cut > 0U);
        BOOST_TEST((job.network().now() - begun < std::chrono::seconds(10)));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_data_lane_that_is_mute_for_two_seconds_changes_no_bit) {
  for (const ExchangeMethod method : kSimMethods) {
    SimOptions options{.steps = 60};
    options.sumBy(method);
    const Slot worker{Role::kWorker, 1};
    for (const auto& [from, to] :
         {std::pair(worker, options.sum(0)), std::pair(options.sum(0), worker)}) {
      SimJob job(options);
      job.network().cut(from, to, std::chrono::seconds(2), link::Lane::kData);
      runToTheEnd(job, options);
      BOOST_TEST(job.counts().cut > 0U);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_worker_whose_step_takes_half_a_minute_is_not_suspected) {
  for (const ExchangeMethod method : kSimMethods) {
    SimOptions options{.servers = 2, .steps = 3};
    options.sumBy(method);
    options.slow[1] = std::chrono::seconds(30);
    SimJob job(options);
    runToTheEnd(job, options);
    BOOST_TEST(job.network().statistics().reopened == 0U);
  }
}

BOOST_AUTO_TEST_CASE(a_process_that_pauses_is_not_suspected) {
  for (const auto& [method, slot] :
       {std::pair(ExchangeMethod::kServers, Slot{Role::kWorker, 1}),
        std::pair(ExchangeMethod::kServers, Slot{Role::kServer, 1}),
        std::pair(ExchangeMethod::kScatterGather, Slot{Role::kWorker, 0}),
        std::pair(ExchangeMethod::kDirect, Slot{Role::kWorker, 1})}) {
    SimOptions options{.servers = 2, .steps = 100};
    options.sumBy(method);
    SimJob job(options);
    job.network().after(std::chrono::milliseconds(300), [&job, slot = slot] {
      job.network().pause(slot, std::chrono::milliseconds(2500));
    });
    BOOST_TEST_CONTEXT(slot) {
      runToTheEnd(job, options);
      BOOST_TEST(job.counts().paused > 0U);
    }
  }
}

BOOST_AUTO_TEST_CASE(messages_that_come_late_from_a_broken_connection_change_no_bit) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SimOptions options{.workers = static_cast<int>(2 + seed % 3),
                       .servers = static_cast<int>(1 + seed % 2),
                       .steps = 30,
                       .seed = seed,
                       .largest_range = 300,
                       .break_every_us = 3000,
                       .break_lane = link::Lane::kData};
    options.sumBy(simMethod(seed / 3));
    options.faults.late = true;
    SimJob job(options);
    BOOST_TEST_CONTEXT("seed " << seed) {
      runToTheEnd(job, options);
      BOOST_TEST(job.counts().broken > 0U);
      BOOST_TEST(job.counts().late > 0U);
      BOOST_TEST(job.network().statistics().resent > 0U);
      // What is late is of no connection that stands: it costs no other.
      BOOST_TEST(job.network().statistics().gaps == 0U);
      BOOST_TEST(job.network().statistics().reopened == 0U);
    }
  }
}

// Eight ranges a step, and room for three messages: all of it must come back, or nothing moves.
BOOST_AUTO_TEST_CASE(credit_for_three_messages_is_waited_for_and_suffices) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SimOptions options{.seed = seed};
    const ExchangeMethod method = simMethod(seed);
    options.workers = static_cast<int>((method == ExchangeMethod::kServers ? 1 : 2) + seed % 4);
    options.parts = 7;
    options.sumBy(method);
    options.tensors = {300, 5, 170, 3};
    options.largest_range = 60;
    options.credit = 3;
    options.steps = 40;
    SimJob job(options);
    BOOST_TEST_CONTEXT("seed " << seed) {
      runToTheEnd(job, options);
      BOOST_TEST(job.counts().no_credit > 100U);
      // Whoever sends more than its credit has its lane opened again.
      BOOST_TEST(job.network().statistics().reopened == 0U);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_process_that_reads_slowly_holds_the_others_up_and_is_not_suspected) {
  for (const auto& [method, slot] :
       {std::pair(ExchangeMethod::kServers, Slot{Role::kWorker, 1}),
        std::pair(ExchangeMethod::kServers, Slot{Role::kServer, 1}),
        std::pair(ExchangeMethod::kServers, Slot{Role::kServer, 0}),
        std::pair(ExchangeMethod::kScatterGather, Slot{Role::kWorker, 0}),
        std::pair(ExchangeMethod::kDirect, Slot{Role::kWorker, 1})}) {
    SimOptions options{.workers = 3, .servers = 2, .largest_range = 300, .credit = 8};
    options.sumBy(method);
    SimJob job(options);
    job.network().readSlowly(slot, std::chrono::milliseconds(5));
    BOOST_TEST_CONTEXT(slot) {
      runToTheEnd(job, options);
      BOOST_TEST(job.counts().queued > 100U);
      BOOST_TEST(job.counts().no_credit > 0U);
      BOOST_TEST(job.network().statistics().reopened == 0U);
    }
  }
}

// Sums fill a server's link, or a worker's, for seconds; the acknowledgements of gradients wait
// behind them.
BOOST_AUTO_TEST_CASE(what_a_full_link_keeps_waiting_is_not_sent_again) {
  for (const auto& [method, slot] :
       {std::pair(ExchangeMethod::kServers, Slot{Role::kServer, 0}),
        std::pair(ExchangeMethod::kServers, Slot{Role::kWorker, 1}),
        std::pair(ExchangeMethod::kScatterGather, Slot{Role::kWorker, 0})}) {
    SimOptions options{.largest_range = 300};
    options.sumBy(method);
    SimJob job(options);
    const TimePoint begun = job.network().now();
    job.network().sendSlowly(slot, /*bytes=*/4000);
    BOOST_TEST_CONTEXT(slot) {
      runToTheEnd(job, options);
      BOOST_TEST((job.network().now() - begun > options.steps * std::chrono::seconds(2)));
      BOOST_TEST(job.network().statistics().reopened == 0U);
      BOOST_TEST(job.network().statistics().resent == 0U);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac
