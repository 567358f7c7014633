#include "planner/exchange_cost/step_time.h"

#include <boost/test/unit_test.hpp>

namespace sumac::planner::step_time_test {

constexpr double kBytes = 4e6;
constexpr double kRate = 1e8;  // bytes a second
constexpr double kComputeSeconds = 0.05;

/// Costs of the papers' formulas: bytes alone.
StepCosts bytesOnly(double rate) {
  return {.step = 0, .exchange = {.hop = 0, .message = 0, .byte = 1 / rate, .add = 0}};
}

/// A step whose gradient is final at the end of the backward pass, all at once.
StepShape aStep(ExchangeMethod method, int workers) {
  StepShape step;
  step.exchange = {.method = method,
                   .workers = workers,
                   .value_bytes = kBytes,
                   .wire_bytes = kBytes,
                   .message_bytes = kBytes};
  step.compute.forward_seconds = 0.4 * kComputeSeconds;
  step.compute.backward = {{0.6 * kComputeSeconds, 1.0}};
  return step;
}

double secondsOf(const StepShape& step, double rate) {
  return stepTime(step, bytesOnly(rate), {}).seconds();
}

/// As the papers have it: all that goes through a link takes its turn.
double textbookSeconds(const StepShape& step, double rate) {
  return kComputeSeconds + exchangeSeconds(exchangeWork(step.exchange), bytesOnly(rate).exchange);
}

BOOST_AUTO_TEST_SUITE(step_time, *boost::unit_test::tolerance(1e-9))

// The papers' section 1.3: T_c(N) = t_c + 2SN/B.
BOOST_AUTO_TEST_CASE(j1_one_server_takes_time_linear_in_the_workers) {
  for (const int n : {1, 2, 4, 8})
    BOOST_TEST(textbookSeconds(aStep(ExchangeMethod::kServers, n), kRate) ==
               kComputeSeconds + 2 * kBytes * n / kRate);
}

// T_d(N) = t_c + 2S(N-1)/(NB), below t_c + 2S/B for any N.
BOOST_AUTO_TEST_CASE(j1_decentralised_servers_stay_within_twice_the_bytes) {
  for (const int n : {2, 4, 8, 1024}) {
    const double seconds = textbookSeconds(aStep(ExchangeMethod::kScatterGather, n), kRate);
    BOOST_TEST(seconds == kComputeSeconds + 2 * kBytes * (n - 1) / (n * kRate));
    BOOST_TEST(seconds < kComputeSeconds + 2 * kBytes / kRate);
  }
}

BOOST_AUTO_TEST_CASE(with_an_infinite_rate_a_step_is_its_computing) {
  for (const ExchangeMethod method :
       {ExchangeMethod::kServers, ExchangeMethod::kScatterGather, ExchangeMethod::kDirect,
        ExchangeMethod::kHalvingDoubling, ExchangeMethod::kRing})
    BOOST_TEST(secondsOf(aStep(method, 8), 1e30) == kComputeSeconds);
}

// Zou et al., the lemma of section 2.6: with K servers the exchange fits into t_c.
BOOST_AUTO_TEST_CASE(z6_so_many_servers_that_the_exchange_takes_no_longer_than_computing) {
  StepShape step = aStep(ExchangeMethod::kServers, 8);
  step.exchange.servers = 7;
  const double rate = 2 * kBytes * 8 / (kComputeSeconds * 7);  // where the lemma says 7
  BOOST_TEST(textbookSeconds(step, rate) == 2 * kComputeSeconds);
  step.exchange.servers = 3;
  BOOST_TEST(textbookSeconds(step, rate) > 3 * kComputeSeconds);
}

// A byte's cost is that of both ends: two servers handle as many as two owners.
BOOST_AUTO_TEST_CASE(servers_take_as_long_as_owners_that_handle_as_much) {
  StepShape servers = aStep(ExchangeMethod::kServers, 2);
  servers.exchange.servers = 2;
  StepCosts costs = bytesOnly(kRate);
  costs.exchange.message = 1e-3;
  const double owners = stepTime(aStep(ExchangeMethod::kScatterGather, 2), costs, {}).exchange;
  BOOST_TEST(stepTime(servers, costs, {}).exchange == owners);
}

BOOST_AUTO_TEST_CASE(machines_of_their_own_are_as_cores_for_everybody) {
  for (const ExchangeMethod method :
       {ExchangeMethod::kServers, ExchangeMethod::kScatterGather, ExchangeMethod::kDirect,
        ExchangeMethod::kHalvingDoubling, ExchangeMethod::kRing}) {
    const StepShape step = aStep(method, 4);
    BOOST_TEST(stepTime(step, bytesOnly(kRate), {}).exchange ==
               stepTime(step, bytesOnly(kRate), {.shared_cores = 1000}).exchange);
  }
}

BOOST_AUTO_TEST_CASE(what_is_final_early_is_sent_behind_the_backward_pass) {
  StepShape step = aStep(ExchangeMethod::kServers, 1);
  step.compute.backward = {{0.01, 0.5}, {0.02, 0.5}};  // two buckets of 2 MB: 20 ms each
  const StepTime time = stepTime(step, bytesOnly(kRate), {});

  // The first is sent from 10 ms to 30 ms, the second after it to 50 ms; the pass ends at 30 ms.
  // Both hops then pass on a message of 4 MB: 20 ms each.
  BOOST_TEST(time.exchange == 0.06);
}

BOOST_AUTO_TEST_CASE(no_less_than_the_last_bucket_is_left_and_no_more_than_all) {
  for (const double rate : {1e6, 1e8, 1e10}) {
    StepShape step = aStep(ExchangeMethod::kServers, 1);
    step.compute.backward = {{0.01, 0.9}, {0.01, 0.1}};
    const double all = kBytes / rate;
    const double tail = kBytes / rate;  // two hops, half of a message each
    const double exposed = stepTime(step, bytesOnly(rate), {}).exchange;
    BOOST_TEST(exposed >= (0.1 * all + tail) * (1 - 1e-9));
    BOOST_TEST(exposed <= (all + tail) * (1 + 1e-9));
  }
}

BOOST_AUTO_TEST_CASE(a_small_vector_is_sent_when_it_is_whole) {
  StepShape step = aStep(ExchangeMethod::kServers, 1);
  step.exchange.value_bytes = step.exchange.wire_bytes = 400'000;  // less than two buckets
  step.compute.backward = {{0.01, 0.5}, {0.02, 0.5}};
  BOOST_TEST(stepTime(step, bytesOnly(kRate), {}).exchange == 2 * 400'000 / kRate);
}

// Frames have headers; sums go the other way, but the first only when all of one message has come.
BOOST_AUTO_TEST_CASE(a_limited_link_carries_frames_both_ways) {
  StepShape step = aStep(ExchangeMethod::kServers, 1);
  step.exchange.message_bytes = kBytes / 4;
  const double once = kFrameOverhead * kBytes / (kRate / 10);
  const Surroundings limited{.link_bytes_per_second = kRate / 10};
  BOOST_TEST(stepTime(step, bytesOnly(kRate), limited).exchange == 1.25 * once);
  const Surroundings ample{.link_bytes_per_second = 10 * kRate};
  BOOST_TEST(stepTime(step, bytesOnly(kRate), ample).exchange ==
             stepTime(step, bytesOnly(kRate), {}).exchange);
}

// The sums of several owners follow the contributions, which alone travel while others compute.
BOOST_AUTO_TEST_CASE(sums_of_several_owners_come_after_all_contributions) {
  StepShape step = aStep(ExchangeMethod::kScatterGather, 4);
  step.exchange.largest_share = 0.5;
  const Surroundings link{.link_bytes_per_second = kRate};
  const double pushes = kFrameOverhead * 3 * 0.5 * kBytes / kRate;
  BOOST_TEST(stepTime(step, bytesOnly(1e30), link).exchange == 2 * pushes);
  step.exchange.sum_bytes = 1.5 * kBytes;
  BOOST_TEST(stepTime(step, bytesOnly(1e30), link).exchange == 2.5 * pushes);
}

BOOST_AUTO_TEST_CASE(a_burst_hides_bytes_but_no_step_is_faster_than_its_link) {
  const StepShape step = aStep(ExchangeMethod::kScatterGather, 2);
  const double all = kFrameOverhead * kBytes / kRate;  // S (N-1) / N, twice
  Surroundings link{.link_bytes_per_second = kRate};
  BOOST_TEST(stepTime(step, bytesOnly(1e30), link).seconds() == kComputeSeconds + all);
  link.link_burst_bytes = kBytes / 10;
  BOOST_TEST(stepTime(step, bytesOnly(1e30), link).seconds() ==
             kComputeSeconds + all - kBytes / 10 / kRate);
  link.link_bytes_per_second = kRate / 10;
  link.link_burst_bytes = 2 * kBytes;
  BOOST_TEST(stepTime(step, bytesOnly(1e30), link).seconds() == 10 * all);
}

BOOST_AUTO_TEST_CASE(others_use_a_link_to_servers_while_a_late_worker_computes) {
  const StepCosts costs = bytesOnly(1e30);
  const double frames = kBytes * kFrameOverhead / kRate;
  const Surroundings link{.link_bytes_per_second = kRate};
  const StepShape step = aStep(ExchangeMethod::kServers, 4);
  const double usual = stepTime(step, costs, link).seconds();
  BOOST_TEST(lateStepSeconds(step, costs, link, 1) == usual);
  BOOST_TEST(lateStepSeconds(step, costs, link, 2) == usual);
  // Its contribution and four sums are left.
  BOOST_TEST(lateStepSeconds(step, costs, link, 10) == 10 * kComputeSeconds + 5 * frames);

  const StepShape ring = aStep(ExchangeMethod::kRing, 4);
  BOOST_TEST(lateStepSeconds(ring, costs, link, 10) ==
             stepTime(ring, costs, link).seconds() + 9 * kComputeSeconds);
  BOOST_TEST(lateStepSeconds(step, costs, {}, 10) == 10 * kComputeSeconds);
}

BOOST_AUTO_TEST_CASE(workers_that_share_cores_compute_one_after_the_other) {
  const StepShape step = aStep(ExchangeMethod::kScatterGather, 4);
  const StepTime time = stepTime(step, bytesOnly(1e30), {.shared_cores = 2});
  BOOST_TEST(time.seconds() == 2 * kComputeSeconds);
  const StepTime alone = stepTime(step, bytesOnly(1e30), {.shared_cores = 4});
  BOOST_TEST(alone.seconds() == kComputeSeconds);
}

BOOST_AUTO_TEST_CASE(shared_cores_have_all_messages_to_carry) {
  const StepShape step = aStep(ExchangeMethod::kScatterGather, 4);
  const StepTime time = stepTime(step, bytesOnly(kRate), {.shared_cores = 1});

  // Four workers' passes, 2 S (N-1) bytes on their way, and the last quarter there and back.
  BOOST_TEST(time.seconds() == 4 * kComputeSeconds + 2 * kBytes * 3 / kRate + kBytes / 4 / kRate);
}

BOOST_AUTO_TEST_CASE(a_byte_on_shared_cores_is_handled_by_two_processes_at_once) {
  const StepShape step = aStep(ExchangeMethod::kServers, 2);
  // The server has an end of 4 S bytes, and passes on a message of S at both hops.
  const StepTime time = stepTime(step, bytesOnly(kRate), {.shared_cores = 8});
  BOOST_TEST(time.exchange == 2 * kBytes / kRate + kBytes / kRate);
}

BOOST_AUTO_TEST_CASE(hops_of_many_members_take_turns_on_shared_cores) {
  StepCosts costs = bytesOnly(1e30);
  costs.exchange.hop = 1e-4;
  StepShape step = aStep(ExchangeMethod::kServers, 2);
  BOOST_TEST(stepTime(step, costs, {.shared_cores = 2}).exchange == 2e-4);  // 4 hops, 2 at a time
  step.exchange.servers = 2;
  BOOST_TEST(stepTime(step, costs, {.shared_cores = 2}).exchange == 4e-4);
  BOOST_TEST(stepTime(step, costs, {}).exchange == 2e-4);
}

BOOST_AUTO_TEST_CASE(computing_takes_longer_in_a_job_whether_its_members_share_cores_or_not) {
  const StepShape step = aStep(ExchangeMethod::kScatterGather, 2);
  StepCosts costs = bytesOnly(1e30);
  costs.crowding = 0.2;
  BOOST_TEST(stepTime(step, costs, {.shared_cores = 2}).seconds() == 1.2 * kComputeSeconds);
  BOOST_TEST(stepTime(step, costs, {}).seconds() == 1.2 * kComputeSeconds);
}

BOOST_AUTO_TEST_CASE(workers_beside_each_other_take_as_long_as_was_measured_so) {
  StepShape step = aStep(ExchangeMethod::kScatterGather, 4);
  step.compute.crowded = 1.5;
  const StepCosts costs = bytesOnly(1e30);
  BOOST_TEST(stepTime(step, costs, {.shared_cores = 4}).seconds() == 1.5 * kComputeSeconds);
  BOOST_TEST(stepTime(step, costs, {.shared_cores = 7}).seconds() == 1.25 * kComputeSeconds);
  BOOST_TEST(stepTime(step, costs, {.shared_cores = 2}).seconds() == 3 * kComputeSeconds);
  step.exchange.workers = 1;
  BOOST_TEST(stepTime(step, costs, {.shared_cores = 4}).seconds() == kComputeSeconds);
}

BOOST_AUTO_TEST_CASE(bytes_take_longer_in_a_job_on_shared_cores_and_messages_do_not) {
  const StepShape step = aStep(ExchangeMethod::kScatterGather, 2);
  StepCosts costs = bytesOnly(kRate);
  const double before = stepTime(step, costs, {.shared_cores = 8}).exchange;
  costs.exchange_factor = 2;
  BOOST_TEST(stepTime(step, costs, {.shared_cores = 8}).exchange == 2 * before);
  BOOST_TEST(stepTime(step, costs, {}).exchange == before);
  costs.exchange = {.hop = 1e-3, .message = 1e-3, .byte = 0, .add = 0};
  BOOST_TEST(stepTime(step, costs, {.shared_cores = 8}).exchange ==
             stepTime(step, costs, {}).exchange);
}

BOOST_AUTO_TEST_CASE(bytes_of_a_large_vector_cost_more) {
  StepCosts costs = bytesOnly(kRate);
  costs.far_byte = 1 / kRate;
  const StepShape step = aStep(ExchangeMethod::kScatterGather, 2);
  const double extra = (kBytes - kNearBytes) / kBytes;
  BOOST_TEST(stepTime(step, costs, {}).exchange == 1.5 * kBytes / kRate * (1 + extra));
}

BOOST_AUTO_TEST_CASE(slower_processors_take_longer_for_all_that_is_computed) {
  StepCompute compute = aStep(ExchangeMethod::kServers, 1).compute;
  compute.rest_seconds = 0.01;
  compute.update_seconds = 0.02;
  const StepCompute slow = compute.slowedDown(3);
  BOOST_TEST(slow.forward_seconds == 3 * compute.forward_seconds);
  BOOST_TEST(slow.backwardSeconds() == 3 * compute.backwardSeconds());
  BOOST_TEST(slow.update_seconds == 0.06);
}

BOOST_AUTO_TEST_CASE(emulated_workers_take_no_core) {
  const StepShape step = aStep(ExchangeMethod::kScatterGather, 4);
  const Surroundings one{.shared_cores = 1, .is_emulated = true};
  StepCosts costs = bytesOnly(1e30);
  costs.crowding = 0.2;  // nor does anybody crowd them: they wait as long as the profile says
  BOOST_TEST(stepTime(step, costs, one).seconds() == kComputeSeconds + kLateWaits);
}

BOOST_AUTO_TEST_CASE(says_what_a_step_waits_for) {
  BOOST_TEST((stepTime(aStep(ExchangeMethod::kServers, 8), bytesOnly(kRate), {}).bound ==
              Bound::kExchange));
  BOOST_TEST(
      (stepTime(aStep(ExchangeMethod::kServers, 8), bytesOnly(1e30), {}).bound == Bound::kCompute));
}

BOOST_AUTO_TEST_CASE(parts_of_a_step_add_up) {
  StepShape step = aStep(ExchangeMethod::kServers, 2);
  step.compute.update_seconds = 0.003;
  StepCosts costs = bytesOnly(kRate);
  costs.step = 0.002;
  const StepTime time = stepTime(step, costs, {});
  // The server has an end of 4 S bytes, and passes on a message of S at both hops.
  BOOST_TEST(time.seconds() == kComputeSeconds + 0.003 + 0.002 + 3 * kBytes / kRate);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::step_time_test
