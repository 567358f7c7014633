#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <boost/test/unit_test.hpp>

#include "tests/integration/simulation/sim_checks.h"

namespace sumac {

BOOST_AUTO_TEST_SUITE(simulation)

BOOST_AUTO_TEST_CASE(an_undisturbed_job_gives_the_bits_of_a_single_process) {
  for (const auto& [workers, servers, parts] :
       {std::tuple{1, 1, 1}, {1, 1, 4}, {2, 1, 4}, {3, 2, 8}, {4, 3, 7}, {5, 2, 6}}) {
    SimOptions options{.workers = workers, .servers = servers, .parts = parts};
    SimJob job(options);
    runToTheEnd(job, options);
  }
}

BOOST_AUTO_TEST_CASE(an_undisturbed_job_without_servers_gives_the_bits_of_a_single_process) {
  using Method = std::optional<ExchangeMethod>;
  for (const auto& method :
       {Method(ExchangeMethod::kScatterGather), Method(ExchangeMethod::kDirect), Method(),
        Method(ExchangeMethod::kHalvingDoubling), Method(ExchangeMethod::kRing)}) {
    for (int workers = 1; workers <= 5; ++workers) {
      for (const int parts : {5, 8}) {
        SimOptions options{.workers = workers, .parts = parts};
        options.sumBy(method);
        if (workers > 3) options.tensors = {9000, 16, 12'000, 10};  // kAuto shares these out
        SimJob job(options);
        runToTheEnd(job, options);
      }
    }
  }
}

// What workers measure, or claim, and what their checkpoints say, decides how they exchange; never
// what they end with.
BOOST_AUTO_TEST_CASE(whatever_is_measured_gives_the_bits_of_a_single_process) {
  constexpr std::array<std::uint64_t, 5> kRates{0, 1, 1'000'000, 20'000'000'000, ~0ULL};
  const std::array<std::string, 4> kBefore{"", "scatterGather", "halvingDoubling", "ring"};
  std::set<ExchangeMethod> methods;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SimOptions options{.workers = static_cast<int>(2 + seed % 4), .parts = 8, .seed = seed};
    options.sumBy(std::nullopt);
    if (seed % 3 == 0) options.tensors = {9000, 16, 12'000, 10};
    for (int i = 0; i < options.workers; ++i)
      options.add_rates[i] = kRates.at((seed + static_cast<std::uint64_t>(i)) % kRates.size());
    options.algorithm = kBefore.at(seed / 4 % kBefore.size());
    if (seed % 5 == 0) options.break_every_us = 3000;
    SimJob job(options);
    BOOST_TEST_CONTEXT("seed " << seed) {
      runToTheEnd(job, options);
      BOOST_TEST_REQUIRE(job.choice().has_value());
      methods.insert(job.choice()->method);
      BOOST_TEST((job.choice()->links > 0 || options.break_every_us));
    }
  }
  BOOST_TEST(methods.size() == 3U);
}

BOOST_AUTO_TEST_CASE(with_a_lossy_codec_all_workers_have_the_weights_that_it_rounds_to) {
  for (const Codec codec : {Codec::kBf16, Codec::kFp16}) {
    for (const ExchangeMethod method : kSimMethods) {
      for (int workers = 1; workers <= 5; ++workers) {
        for (const int parts : {5, 8}) {
          SimOptions options{.workers = workers, .codec = codec, .parts = parts, .steps = 4};
          options.tensors = {300, 5, 170, 3};
          options.sumBy(method);
          SimJob job(options);
          BOOST_TEST_CONTEXT(codec << ", " << workers << " workers, " << parts << " parts") {
            runToTheEnd(job, options);
          }
        }
      }
    }
  }
}

// Contributions are rounded where they are sent, and the sum once: the same for all who do not add
// on the way.
BOOST_AUTO_TEST_CASE(with_a_lossy_codec_it_is_the_same_who_sums) {
  SimOptions options{.workers = 3, .servers = 2, .codec = Codec::kBf16};
  SimJob central(options);
  runToTheEnd(central, options);
  for (const ExchangeMethod method : {ExchangeMethod::kScatterGather, ExchangeMethod::kDirect}) {
    options.sumBy(method);
    SimJob job(options);
    runToTheEnd(job, options);
    BOOST_TEST((job.weights(0) == central.weights(0)));
  }
}

BOOST_AUTO_TEST_CASE(rows_that_do_not_occur_change_no_bit) {
  for (const ExchangeMethod method : kSimMethods) {
    for (const Codec codec : {Codec::kFp32, Codec::kFp16}) {
      SimOptions options{.workers = 3, .servers = 2, .codec = codec, .has_rare_rows = true};
      options.sumBy(method);
      SimJob job(options);
      runToTheEnd(job, options);
    }
  }
}

BOOST_AUTO_TEST_CASE(connections_that_break_change_no_bit) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SimOptions options{.workers = static_cast<int>(1 + seed % 4),
                       .servers = static_cast<int>(1 + seed / 4 % 3),
                       .parts = static_cast<int>(4 + seed % 5),
                       .seed = seed,
                       .break_every_us = 8000};
    options.sumBy(simMethod(seed));
    SimJob job(options);
    BOOST_TEST_CONTEXT("seed " << seed) {
      runToTheEnd(job, options);
      BOOST_TEST(job.highestGeneration() == 1U);
    }
  }
}

// Nobody has to redo a step because somebody's control connection broke: it would never be done.
BOOST_AUTO_TEST_CASE(control_connections_that_break_faster_than_a_step_stop_nobody) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SimOptions options{
        .workers = 3, .seed = seed, .break_every_us = 4000, .break_lane = link::Lane::kControl};
    options.sumBy(simMethod(seed));
    SimJob job(options);
    BOOST_TEST_CONTEXT("seed " << seed) {
      runToTheEnd(job, options);
      BOOST_TEST(job.counts().dropped > 0U);
      BOOST_TEST(job.highestGeneration() == 1U);
    }
  }
}

// Each loss must be made good on the new connection itself.
BOOST_AUTO_TEST_CASE(data_connections_that_break_need_no_new_generation) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SimOptions options{.workers = 3,
                       .servers = 2,
                       .seed = seed,
                       .break_every_us = 5000,
                       .break_lane = link::Lane::kData};
    options.sumBy(simMethod(seed));
    SimJob job(options);
    BOOST_TEST_CONTEXT("seed " << seed) {
      runToTheEnd(job, options);
      BOOST_TEST(job.highestGeneration() == 1U);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_gradient_larger_than_the_credit_flows_on) {
  for (const ExchangeMethod method : kSimMethods) {
    SimOptions options{.steps = 2};
    options.parts = 3;  // worker 1 sends two nodes: 10.4 MB a step, so its credit must come back
    options.sumBy(method);
    options.tensors = {1'300'000, 10};
    SimJob job(options);
    runToTheEnd(job, options);
  }
}

BOOST_AUTO_TEST_CASE(the_result_and_the_progress_reach_whoever_watches) {
  for (const ExchangeMethod method : kSimMethods) {
    SimOptions options;
    options.sumBy(method);
    SimJob job(options);
    job.run();
    BOOST_TEST(job.ends().at(simCoordinator(options)).reason == "{\"steps\":12}");
    BOOST_TEST(job.ends().at({Role::kWorker, 1}).reason == "{\"steps\":12}");
    BOOST_TEST_REQUIRE(job.progress().size() == 15U);
    const std::string servers = options.servers > 0 ? "1" : "0";
    const std::string server = options.servers > 0 ? R"("server":[0],)" : "";
    BOOST_TEST(job.progress().at(0) ==
               R"({"event":"roster","generation":1,"kernels":"avx2","members":{)" + server +
                   R"("worker":[0,1]},"servers":)" + servers +
                   R"(,"startStep":0,"term":1,"workers":2})");
    BOOST_TEST(job.progress().at(1) == "{\"event\":\"progress\",\"step\":1}");
    const std::string spare = R"({"event":"dispensable","role":"worker","index":1})";
    BOOST_TEST(std::ranges::count(job.progress(), spare) == 1);
    BOOST_TEST(job.progress().back() == "{\"event\":\"checkpoint\",\"step\":12}");
  }
}

BOOST_AUTO_TEST_CASE(a_request_to_stop_ends_all_after_one_common_step) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SimOptions options{.workers = 3, .servers = 2, .steps = 100'000, .seed = seed};
    options.sumBy(simMethod(seed / 3));
    if (seed > 5) options.break_every_us = 20'000;
    SimJob job(options);
    job.network().after(std::chrono::milliseconds(400), [&job, &options, seed] {
      const Slot asked[] = {{Role::kWorker, 2}, options.sum(0), options.sum(1)};
      job.leave(asked[seed % 3]);
    });
    job.run();
    BOOST_TEST_CONTEXT("seed " << seed) {
      checkEnds(job, options, ExitCode::kStopped);
      BOOST_TEST(job.checkpoint().value_or(0) == job.lastStep(0));
      BOOST_TEST(job.lastStep(0) > 0);
      checkBits(job, options, job.lastStep(0));
    }
  }
}

// Not the coordinator: without it nobody decides.
BOOST_AUTO_TEST_CASE(a_stop_ends_within_15_s_with_a_checkpoint_although_a_member_is_halted) {
  const std::pair<ExchangeMethod, Slot> cases[] = {
      {ExchangeMethod::kServers, {Role::kWorker, 1}},
      {ExchangeMethod::kServers, {Role::kWorker, 0}},
      {ExchangeMethod::kServers, {Role::kServer, 1}},
      {ExchangeMethod::kScatterGather, {Role::kWorker, 1}},
      {ExchangeMethod::kScatterGather, {Role::kWorker, 2}},
      {ExchangeMethod::kDirect, {Role::kWorker, 1}}};
  for (const auto& [method, slot] : cases) {
    int named = 0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      SimOptions options{.workers = 3, .servers = 2, .steps = 100'000, .seed = seed};
      options.sumBy(method);
      if (seed > 4) options.break_every_us = 20'000;
      SimJob job(options);
      const TimePoint begun = job.network().now();
      job.network().after(std::chrono::milliseconds(500), [&job, &options, slot = slot] {
        job.network().kill(slot);
        job.leave(simCoordinator(options));
      });
      job.run();
      BOOST_TEST_CONTEXT("seed " << seed << ", without " << slot) {
        const std::string asked = toString(simCoordinator(options)) + " was asked to stop";
        BOOST_TEST((job.network().now() - begun < std::chrono::milliseconds(15'500)));
        BOOST_TEST(job.ends().size() == static_cast<std::size_t>(options.processes() - 1));
        for (const auto& [who, end] : job.ends()) {
          BOOST_TEST(toInt(end.code) == 143, who << ": " << end.reason);
          // A server may be halted that nobody waits for any more.
          const bool unnoticed = slot.role == Role::kServer && end.reason == asked;
          named += unnoticed ? 0 : 1;
          BOOST_TEST((unnoticed ||
                      end.reason == asked + "; lost " + toString(slot) + " (no heartbeat for 3 s)"),
                     end.reason);
        }
        const int writer = slot == Slot{Role::kWorker, 0} ? 1 : 0;
        BOOST_TEST_REQUIRE(job.checkpoint().has_value());
        BOOST_TEST(*job.checkpoint() == job.lastStep(writer));
        BOOST_TEST((job.weights(writer) == simReference(options, *job.checkpoint())));
      }
    }
    BOOST_TEST(named > 0);
  }
}

BOOST_AUTO_TEST_CASE(a_stop_ends_within_15_s_with_a_checkpoint_although_a_trainer_hangs) {
  for (const ExchangeMethod method : kSimMethods) {
    SimOptions options{.workers = 3, .steps = 100'000, .hangs = 1};
    options.sumBy(method);
    SimJob job(options);
    const TimePoint begun = job.network().now();
    job.network().after(std::chrono::milliseconds(500), [&job] { job.leave({Role::kWorker, 2}); });
    job.run();
    BOOST_TEST((job.network().now() - begun < std::chrono::milliseconds(15'500)));
    checkEnds(job, options, ExitCode::kStopped);
    BOOST_TEST(job.ends().at(simCoordinator(options)).reason ==
               "worker 2 was asked to stop; worker 1 did not stop within 12 s");
    BOOST_TEST(job.checkpoint().value() == 5);
  }
}

BOOST_AUTO_TEST_CASE(a_member_that_falls_silent_ends_all_others_with_75_and_is_named) {
  for (const ExchangeMethod method : kSimMethods) {
    for (const bool coordinates : {false, true}) {
      SimOptions options{.workers = 3, .servers = 2, .steps = 100'000};
      options.sumBy(method);
      const Slot silent = coordinates ? simCoordinator(options) : Slot{Role::kWorker, 1};
      SimJob job(options);
      job.network().after(std::chrono::milliseconds(500), [&] { job.network().kill(silent); });
      job.run();
      BOOST_TEST(job.ends().size() == static_cast<std::size_t>(options.processes() - 1));
      for (const auto& [slot, end] : job.ends()) {
        BOOST_TEST(toInt(end.code) == 75);
        BOOST_TEST(end.reason == std::string(coordinates ? "lost the coordinator, " : "lost ") +
                                     toString(silent) + " (no heartbeat for 3 s)");
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_worker_with_another_plan_is_refused_with_the_difference) {
  SimOptions options;
  options.plan_text[{Role::kWorker, 0}] = "batchSize=128\nseed=1\n";
  options.plan_text[{Role::kWorker, 1}] = "batchSize=64\nseed=1\n";
  SimJob job(options);
  job.run();
  BOOST_TEST_REQUIRE(job.ends().size() == 1U);  // the other waits for its peer
  const auto& [slot, end] = *job.ends().begin();
  BOOST_TEST(toInt(end.code) == 78);
  const std::string text = slot.index == 1 ? "batchSize: worker 1 has 64, the job has 128"
                                           : "batchSize: worker 0 has 128, the job has 64";
  BOOST_TEST(end.reason == text);
}

// Servers make their plan when they hear of the words: workers may be first to come or last.
BOOST_AUTO_TEST_CASE(servers_take_the_size_that_the_workers_state) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SimOptions options{.servers = static_cast<int>(1 + seed % 3), .seed = seed, .size = 5000};
    options.sumBy(simMethod(seed));
    if (seed > 10) options.break_every_us = 8000;
    SimJob job(options);
    BOOST_TEST_CONTEXT("seed " << seed) {
      runToTheEnd(job, options);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_worker_with_another_size_is_refused_by_name) {
  SimOptions options{.size = 5000};
  options.other_size[1] = 4999;
  SimJob job(options);
  job.run();
  BOOST_TEST_REQUIRE(job.ends().size() == 1U);  // the other waits for its peer
  const auto& [slot, end] = *job.ends().begin();
  BOOST_TEST(toInt(end.code) == 78);
  BOOST_TEST(end.reason == (slot.index == 1
                                ? "words or values: worker 1 has 4999, the job has 5000"
                                : "words or values: worker 0 has 5000, the job has 4999"));
}

BOOST_AUTO_TEST_CASE(a_worker_whose_weights_differ_is_named_and_ends_the_job_for_good) {
  for (const ExchangeMethod method : kSimMethods) {
    SimOptions options{.workers = 3, .steps = 120, .diverges = 2};
    options.sumBy(method);
    SimJob job(options);
    job.run();
    checkEnds(job, options, ExitCode::kFailed);
    BOOST_TEST(job.ends().at(simCoordinator(options)).reason ==
               "the weights diverge after step 100: worker 2 (CPU 2) differs from the others");
  }
}

// Wrong weights of any worker, between two checkpoints or after the last one.
BOOST_AUTO_TEST_CASE(weights_that_differ_become_neither_a_checkpoint_nor_a_result) {
  for (const Step wrong : {7, 12}) {
    for (const int who : {0, 1}) {
      SimOptions options{.diverges = who, .diverges_in = wrong, .checkpoint_every = 3};
      options.sumBy(simMethod(static_cast<std::uint64_t>(wrong + who)));
      SimJob job(options);
      job.run();
      checkEnds(job, options, ExitCode::kFailed);
      BOOST_TEST(job.checkpoint().value() == (wrong - 1) / 3 * 3);
      BOOST_TEST(job.progress().back() != "{\"event\":\"checkpoint\",\"step\":12}");
    }
  }
}

BOOST_AUTO_TEST_CASE(checkpoints_wait_for_all_through_connections_that_break) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SimOptions options{.workers = 3, .seed = seed, .break_every_us = 8000, .checkpoint_every = 2};
    options.sumBy(simMethod(seed));
    SimJob job(options);
    BOOST_TEST_CONTEXT("seed " << seed) {
      runToTheEnd(job, options);
      BOOST_TEST(job.checkpoint().value() == options.steps);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_worker_that_fails_tells_the_others_why) {
  for (const ExchangeMethod method : kSimMethods) {
    SimOptions options{.steps = 100'000, .fails = 1};
    options.sumBy(method);
    SimJob job(options);
    job.run();
    BOOST_TEST(toInt(job.ends().at({Role::kWorker, 1}).code) == 1);
    for (const Slot slot : {simCoordinator(options), Slot{Role::kWorker, 0}}) {
      BOOST_TEST(toInt(job.ends().at(slot).code) == 75);
      BOOST_TEST(job.ends().at(slot).reason == "worker 1 failed: the loss is not finite");
    }
  }
}

BOOST_AUTO_TEST_CASE(the_same_seed_gives_the_same_run) {
  for (const ExchangeMethod method : kSimMethods) {
    SimOptions options{.break_every_us = 10'000};
    options.sumBy(method);
    SimJob first(options);
    first.run();
    SimJob second(options);
    second.run();
    BOOST_TEST((first.network().now() == second.network().now()));
    BOOST_TEST(first.counts().delivered == second.counts().delivered);
    BOOST_TEST(first.counts().dropped > 0U);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac
