#include "planner/exchange_cost/profiled_step.h"

#include <cmath>

#include <boost/test/unit_test.hpp>

#include "tests/support/refusals.h"

namespace sumac::planner::profiled_step_test {

Timing exactly(double seconds) {
  return {seconds, seconds, seconds};
}

JobProfile aProfile() {
  BatchProfile batch;
  batch.samples = 64;
  batch.forward = exactly(1e-3);
  batch.backward = exactly(2e-3);
  batch.update = exactly(1e-4);
  batch.layers = {{.name = "a", .tensors = {{"a.weight", 250, 1e-3}}},
                  {.name = "b", .tensors = {{"b.weight", 749, 1e-3}}}};
  JobProfile profile;
  profile.machine.cores = 2;
  profile.batches = {batch};
  profile.sum_bytes_per_second = 1e10;
  // Two hops of 50 us, a message of 10 us, a byte of 1 ns: half of them at either end, and a
  // message is passed on as a whole.
  for (const std::int64_t bytes : {4'000, 16'000, 64'000, 1'000'000, 4'000'000}) {
    const auto size = static_cast<double>(bytes);
    const ExchangePlan plan = makeExchangePlan({bytes / 4}, 1);
    const double run = 4.0 * static_cast<double>(plan.longest_run);
    const double messages = std::ceil(size / run);
    const double last = 10e-6 + 1e-9 * std::min(size, run);
    profile.links.push_back(
        {"tcp", bytes, exactly(100e-6 + messages * 10e-6 + 1e-9 * size + last)});
  }
  return profile;
}

job::TrainingJob aJob(int workers) {
  job::TrainingJob job;
  job.training.batch_size = 64 * workers;
  job.training.logical_workers = workers;
  job.training.threads = 1;
  job.worker.replicas = workers;
  job.server.replicas = 1;
  return job;
}

BOOST_AUTO_TEST_SUITE(profiled_step, *boost::unit_test::tolerance(1e-3))

BOOST_AUTO_TEST_CASE(links_tell_hop_message_and_byte_apart) {
  const auto fit = costsOf(aProfile(), "tcp");

  BOOST_TEST_REQUIRE(fit.has_value());
  BOOST_TEST(fit->costs.exchange.hop == 50e-6);
  BOOST_TEST(fit->costs.exchange.message == 10e-6);
  BOOST_TEST(fit->costs.exchange.byte == 1e-9);
  BOOST_TEST(fit->costs.exchange.add == 1e-10);
  BOOST_TEST(fit->undetermined.empty());
}

/// As `sumac profile` measures, where `costs` are true of exchanges.
std::vector<LinkMeasurement> linksOf(const StepCosts& costs) {
  constexpr ExchangeMethod kMethods[] = {ExchangeMethod::kServers, ExchangeMethod::kDecentralized,
                                         ExchangeMethod::kDirect};
  std::vector<LinkMeasurement> links;
  for (const ExchangeMethod method : kMethods) {
    for (const std::int64_t bytes : {16'000, 256'000, 1'000'000, 8'000'000}) {
      const std::int64_t values = bytes / 4;
      const double run = 4.0 * static_cast<double>(makeExchangePlan({values}, 1).longest_run);
      for (const int workers : {1, 2}) {
        StepShape step;
        step.exchange = {.method = method, .workers = workers, .message_bytes = run};
        step.exchange.value_bytes = step.exchange.wire_bytes = static_cast<double>(bytes);
        const double seconds = stepTime(step, costs, {.shared_cores = 2}).seconds();
        const int servers = method == ExchangeMethod::kServers ? 1 : 0;
        if (workers == 2 || servers > 0)
          links.push_back({"tcp", bytes, exactly(seconds), method, workers, servers});
      }
    }
  }
  return links;
}

BOOST_AUTO_TEST_CASE(exchanges_of_two_workers_tell_what_a_step_and_a_large_vector_cost) {
  const StepCosts wanted{.step = 60e-6,
                         .exchange = {.hop = 20e-6, .message = 15e-6, .byte = 4e-10, .add = 1e-10},
                         .far_byte = 2e-10};
  JobProfile profile = aProfile();
  profile.links = linksOf(wanted);

  const auto fit = costsOf(profile, "tcp");

  BOOST_TEST_REQUIRE(fit.has_value());
  BOOST_TEST(fit->costs.step == wanted.step);
  BOOST_TEST(fit->costs.exchange.hop == wanted.exchange.hop);
  BOOST_TEST(fit->costs.exchange.byte == wanted.exchange.byte);
  BOOST_TEST(fit->costs.far_byte == wanted.far_byte);
  BOOST_TEST(fit->error() < 1e-3);
  BOOST_TEST(fit->costs.exchange_factor > 1);  // of jobs, which a profile does not know
}

BOOST_AUTO_TEST_CASE(a_worker_of_a_central_job_computes_and_exchanges_its_share) {
  const job::TrainingJob job = aJob(2);
  const ExchangePlan plan = makeExchangePlan({250, 749}, 2);

  const auto step = profiledStep(job, plan, aProfile(), {});

  BOOST_TEST_REQUIRE(step.has_value());
  BOOST_TEST((step->exchange.method == ExchangeMethod::kServers));
  BOOST_TEST(step->exchange.workers == 2);
  BOOST_TEST(step->exchange.value_bytes == 4000);
  BOOST_TEST(step->compute.forward_seconds == 1e-3);
  BOOST_TEST(step->compute.backwardSeconds() == 2e-3);
  BOOST_TEST_REQUIRE(step->compute.backward.size() == 2);
  BOOST_TEST(step->compute.backward[0].share == 0.749);  // b, the last layer
}

BOOST_AUTO_TEST_CASE(of_several_parts_only_the_last_one_makes_gradients_final) {
  job::TrainingJob job = aJob(1);
  job.training.logical_workers = 4;
  job.training.batch_size = 256;
  const ExchangePlan plan = makeExchangePlan({250, 749}, 4);

  const auto step = profiledStep(job, plan, aProfile(), {});

  BOOST_TEST_REQUIRE(step.has_value());
  BOOST_TEST(step->compute.backwardSeconds() == 8e-3);
  BOOST_TEST(step->compute.backward[0].seconds == 7e-3);  // three parts, and half of the fourth
  BOOST_TEST(step->compute.backward[1].seconds == 1e-3);
}

BOOST_AUTO_TEST_CASE(auto_threads_share_the_cores_of_the_profiles_machine) {
  job::TrainingJob job = aJob(2);
  BOOST_TEST(threadsOf(job, 8) == 1);
  job.training.threads = 0;
  BOOST_TEST(threadsOf(job, 8) == 4);
  BOOST_TEST(threadsOf(job, 1.5) == 1);
  BOOST_TEST(threadsOf(job, 5) == 2);
}

BOOST_AUTO_TEST_CASE(emulated_workers_have_all_cores) {
  job::TrainingJob job = aJob(4);
  job.training.threads = 0;
  BOOST_TEST(threadsOf(job, 8, {.shares_cores = false}) == 8);
}

BOOST_AUTO_TEST_CASE(rows_of_words_that_do_not_occur_are_not_sent) {
  job::TrainingJob job = aJob(1);
  job.training.unroll = 20;
  job.training.batch_size = 20;
  ExchangePlan plan = makeExchangePlan({2'000'000, 2'000'000}, 1);
  const double whole = exchangeShapeOf(job, plan, {}).wire_bytes;
  BOOST_TEST(whole == exchangeShapeOf(job, plan, {}).value_bytes);

  plan.embedding = 2'000'000;
  const ExchangeShape sparse = exchangeShapeOf(job, plan, {}, {.vocabulary = 10'000});

  // 400 words, of which 314 differ, as was measured of generated text.
  BOOST_TEST(whole - sparse.wire_bytes == 8e6 * (1 - 0.0314), boost::test_tools::tolerance(1e-2));
  BOOST_TEST(sparse.value_bytes == whole);
}

BOOST_AUTO_TEST_CASE(a_sum_has_the_words_and_the_state_of_all_workers) {
  job::TrainingJob job = aJob(4);
  job.training.unroll = 20;
  job.training.batch_size = 80;
  ExchangePlan plan = makeExchangePlan({2'000'000, 2'000'000}, 4, {.recurrent = 64'000});
  plan.embedding = 2'000'000;

  const ExchangeShape shape = exchangeShapeOf(job, plan, {}, {.vocabulary = 10'000});

  // 400 words of a worker have 314 different ones, 1,600 of all have 852.
  const auto exactly = boost::test_tools::tolerance(1e-3);
  BOOST_TEST(shape.wire_bytes == 8e6 * (1 + 0.0314) + 4 * 16'000, exactly);
  BOOST_TEST(shape.sum_bytes == 8e6 * (1 + 0.0852) + 4 * 64'000, exactly);
}

BOOST_AUTO_TEST_CASE(the_network_says_the_time_steps_that_a_job_leaves_to_it) {
  job::TrainingJob job = aJob(1);
  job.training.batch_size = 20;
  job.training.unroll = 20;
  ExchangePlan plan = makeExchangePlan({2'000'000, 2'000'000}, 1);
  plan.embedding = 2'000'000;
  const ExchangeShape typed = exchangeShapeOf(job, plan, {});

  job.training.unroll = 0;
  BOOST_TEST((exchangeShapeOf(job, plan, {}, {.time_steps = 20}) == typed));
  const ExchangeShape unknown = exchangeShapeOf(job, plan, {});
  BOOST_TEST(unknown.wire_bytes == unknown.value_bytes);  // all rows
}

BOOST_AUTO_TEST_CASE(owners_of_words_that_do_not_occur_have_less_to_send) {
  job::TrainingJob job = aJob(4);
  job.training.unroll = 20;
  job.strategy.method = ExchangeMethod::kDecentralized;
  ExchangePlan plan = makeExchangePlan({2'000'000, 2'000'000}, 4);
  BOOST_TEST(exchangeShapeOf(job, plan, {}).largest_share == 0.25,
             boost::test_tools::tolerance(0.05));

  plan.embedding = 2'000'000;

  // Owners have consecutive ranges: two of them the words, two the other half.
  BOOST_TEST(exchangeShapeOf(job, plan, {}).largest_share > 0.4);
}

BOOST_AUTO_TEST_CASE(a_spare_core_makes_buckets_small) {
  job::TrainingJob job = aJob(1);
  job.training.threads = 1;
  const ExchangePlan plan = makeExchangePlan({250, 749}, 1);
  const auto beside = profiledStep(job, plan, aProfile(), {});
  BOOST_TEST_REQUIRE(beside.has_value());
  BOOST_TEST(beside->compute.bucket_bytes == kBucketBytesBeside);

  job = aJob(2);
  const auto full = profiledStep(job, makeExchangePlan({250, 749}, 2), aProfile(), {});
  BOOST_TEST_REQUIRE(full.has_value());
  BOOST_TEST(full->compute.bucket_bytes == kBucketBytes);
}

BOOST_AUTO_TEST_CASE(a_large_tensor_of_text_becomes_final_bit_by_bit_and_else_as_a_whole) {
  const job::TrainingJob job = aJob(2);
  JobProfile profile = aProfile();
  profile.batches.front().layers.back().tensors.front().values = 262'144;  // four buckets
  ExchangePlan plan = makeExchangePlan({250, 262'144}, 2);
  const auto image = profiledStep(job, plan, profile, {});
  plan.embedding = 250;
  const auto text = profiledStep(job, plan, profile, {});

  BOOST_TEST_REQUIRE(text.has_value());
  BOOST_TEST_REQUIRE(text->compute.backward.size() == 5);
  BOOST_TEST(text->compute.backward[0].seconds == 0.25e-3);
  BOOST_TEST(text->compute.backwardSeconds() == 2e-3);
  BOOST_TEST_REQUIRE(image.has_value());
  BOOST_TEST_REQUIRE(image->compute.backward.size() == 2);
  BOOST_TEST(image->compute.backwardSeconds() == 2e-3);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_predicted_is_refused) {
  JobProfile larger = aProfile();
  larger.batches.front().layers.back().tensors.front().values = 750;  // 1,000 in all
  job::TrainingJob asynchronous = aJob(1);
  asynchronous.strategy.consistency = job::Consistency::kAsynchronous;
  const ExchangePlan plan = makeExchangePlan({250, 749}, 2);

  test::Refusals refusals;
  refusals.add("a path that was not measured", costsOf(aProfile(), "curve"), "curve",
               ErrorCode::kNotFound);
  refusals.add("another network", profiledStep(aJob(2), plan, larger, {}), "999");
  refusals.add("another consistency",
               profiledStep(asynchronous, makeExchangePlan({999}, 1), aProfile(), {}), "",
               ErrorCode::kUnsupported);
  refusals.compareWith("planner/exchange_cost/profiled_step.txt");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::profiled_step_test
