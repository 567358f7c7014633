#include "planner/exchange_cost/exchange_work.h"

#include <cmath>

#include <boost/test/unit_test.hpp>

#include "exchange/membership/method_choice.h"
#include "planner/exchange_cost/profiled_step.h"
#include "planner/exchange_cost/step_time.h"

namespace sumac::planner::exchange_work_test {

constexpr double kBytes = 1e6;

ExchangeShape aShape(ExchangeMethod method, int workers, int servers = 1) {
  return {.method = method,
          .workers = workers,
          .servers = servers,
          .value_bytes = kBytes,
          .wire_bytes = kBytes,
          .message_bytes = kBytes};
}

BOOST_AUTO_TEST_SUITE(exchange_work)

BOOST_AUTO_TEST_CASE(one_servers_link_carries_all_pushes_and_all_sums) {
  for (const int n : {1, 2, 4, 8, 64}) {
    const auto work = exchangeWork(aShape(ExchangeMethod::kServers, n));
    BOOST_TEST(work.hops == 2);
    BOOST_TEST(work.bytes == 2 * kBytes * n);
    BOOST_TEST(work.messages == 2 * n);
    BOOST_TEST(work.added_bytes == (n - 1) * kBytes);
  }
}

BOOST_AUTO_TEST_CASE(servers_share_the_load_until_each_worker_has_one) {
  BOOST_TEST(exchangeWork(aShape(ExchangeMethod::kServers, 8, 4)).bytes == 2 * kBytes * 8 / 4);
  BOOST_TEST(exchangeWork(aShape(ExchangeMethod::kServers, 8, 8)).bytes == 2 * kBytes);
  BOOST_TEST(exchangeWork(aShape(ExchangeMethod::kServers, 8, 16)).bytes == 2 * kBytes);
}

BOOST_AUTO_TEST_CASE(ring_owners_and_halving_send_the_fewest_bytes) {
  for (const int n : {2, 4, 8, 16}) {
    const double least = 2 * kBytes * (n - 1) / n;
    for (const ExchangeMethod method : {ExchangeMethod::kRing, ExchangeMethod::kScatterGather,
                                        ExchangeMethod::kHalvingDoubling}) {
      BOOST_TEST(exchangeWork(aShape(method, n)).bytes == least,
                 boost::test_tools::tolerance(1e-12));
    }
    BOOST_TEST(exchangeWork(aShape(ExchangeMethod::kDirect, n)).bytes == kBytes * (n - 1));
  }
}

BOOST_AUTO_TEST_CASE(halving_of_other_numbers_is_the_exchange_with_owners) {
  BOOST_TEST(exchangeWork(aShape(ExchangeMethod::kHalvingDoubling, 6)).bytes ==
             exchangeWork(aShape(ExchangeMethod::kScatterGather, 6)).bytes);
}

BOOST_AUTO_TEST_CASE(hops_are_two_two_log_n_or_two_for_each_other_worker) {
  BOOST_TEST(exchangeWork(aShape(ExchangeMethod::kDirect, 8)).hops == 1);
  BOOST_TEST(exchangeWork(aShape(ExchangeMethod::kScatterGather, 8)).hops == 2);
  BOOST_TEST(exchangeWork(aShape(ExchangeMethod::kHalvingDoubling, 8)).hops == 6);
  BOOST_TEST(exchangeWork(aShape(ExchangeMethod::kRing, 8)).hops == 14);
}

BOOST_AUTO_TEST_CASE(a_worker_alone_exchanges_with_servers_only) {
  for (const ExchangeMethod method :
       {ExchangeMethod::kRing, ExchangeMethod::kScatterGather, ExchangeMethod::kDirect})
    BOOST_TEST((exchangeWork(aShape(method, 1)) == ExchangeWork{}));
  BOOST_TEST(exchangeWork(aShape(ExchangeMethod::kServers, 1)).bytes == 2 * kBytes);
}

BOOST_AUTO_TEST_CASE(a_codec_halves_what_is_sent_and_not_what_is_added) {
  ExchangeShape shape = aShape(ExchangeMethod::kRing, 4);
  const auto whole = exchangeWork(shape);
  shape.wire_bytes = kBytes / 2;
  const auto coded = exchangeWork(shape);
  BOOST_TEST(coded.bytes == whole.bytes / 2);
  BOOST_TEST(coded.added_bytes == whole.added_bytes);
}

BOOST_AUTO_TEST_CASE(sums_with_the_words_of_all_are_larger_than_contributions) {
  for (const ExchangeMethod method :
       {ExchangeMethod::kServers, ExchangeMethod::kScatterGather, ExchangeMethod::kDirect,
        ExchangeMethod::kHalvingDoubling, ExchangeMethod::kRing}) {
    ExchangeShape shape = aShape(method, 4);
    const auto same = exchangeWork(shape);
    shape.sum_bytes = 3 * kBytes;
    const auto larger = exchangeWork(shape);
    // Direct, only contributions travel; otherwise half of what does is sums, or has their words.
    const double times = method == ExchangeMethod::kDirect ? 1 : 2;
    BOOST_TEST(larger.bytes == times * same.bytes, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(larger.all_bytes == times * same.all_bytes, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(larger.added_bytes == same.added_bytes);
  }
}

BOOST_AUTO_TEST_CASE(a_message_has_two_ends_and_a_link_two_ways) {
  const auto server = exchangeWork(aShape(ExchangeMethod::kServers, 4));
  BOOST_TEST(server.handled_bytes == 8 * kBytes);  // 4 come, 4 go
  BOOST_TEST(server.link_bytes == 4 * kBytes);
  const auto owner = exchangeWork(aShape(ExchangeMethod::kScatterGather, 4));
  BOOST_TEST(owner.handled_bytes == 2 * owner.bytes);
  BOOST_TEST(owner.link_bytes == owner.bytes);
}

BOOST_AUTO_TEST_CASE(hops_of_all_members_are_those_of_all_pairs) {
  BOOST_TEST(exchangeWork(aShape(ExchangeMethod::kServers, 4, 2)).all_hops == 16);
  BOOST_TEST(exchangeWork(aShape(ExchangeMethod::kScatterGather, 4)).all_hops == 24);
  BOOST_TEST(exchangeWork(aShape(ExchangeMethod::kDirect, 4)).all_hops == 12);
  BOOST_TEST(exchangeWork(aShape(ExchangeMethod::kRing, 4)).all_hops == 24);
}

BOOST_AUTO_TEST_CASE(the_owner_of_most_bytes_has_the_busiest_link) {
  ExchangeShape shape = aShape(ExchangeMethod::kScatterGather, 4);
  shape.largest_share = 0.4;
  const auto work = exchangeWork(shape);
  BOOST_TEST(work.link_bytes == 3 * 0.4 * kBytes + 0.6 * kBytes,
             boost::test_tools::tolerance(1e-12));
  BOOST_TEST(work.all_bytes == 6 * kBytes);  // all send as much as before
  shape.method = ExchangeMethod::kServers;
  shape.servers = 4;
  BOOST_TEST(exchangeWork(shape).link_bytes == 4 * 0.4 * kBytes,
             boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(sums_go_back_when_every_workers_first_message_has_come) {
  ExchangeShape shape = aShape(ExchangeMethod::kServers, 1);
  shape.message_bytes = kBytes / 4;
  BOOST_TEST(exchangeWork(shape).left_share == 0.25);
  shape.workers = 2;  // the slower one is a third of 0.68 behind, and alone with the second half
  BOOST_TEST(exchangeWork(shape).left_share == 0.25 + 0.68 / 3 / 2,
             boost::test_tools::tolerance(1e-12));
  shape.message_bytes = kBytes;  // only when all is there
  BOOST_TEST(exchangeWork(shape).left_share == 1);
  shape.contributions = 2;  // twice as much is pushed for the same sums
  BOOST_TEST(exchangeWork(shape).left_share == 0.5);
}

BOOST_AUTO_TEST_CASE(the_slowest_of_many_senders_is_further_behind) {
  ExchangeShape shape = aShape(ExchangeMethod::kServers, 1);
  shape.message_bytes = 1;
  double before = 0;
  for (const int n : {2, 4, 8, 64, 1000}) {
    shape.workers = n;
    const double share = exchangeWork(shape).left_share;
    BOOST_TEST(share > before);
    BOOST_TEST(share < 0.68);  // nobody is further behind
    before = share;
  }
}

BOOST_AUTO_TEST_CASE(owners_answer_several_others_when_all_of_these_have_been_heard) {
  ExchangeShape shape = aShape(ExchangeMethod::kScatterGather, 4);
  shape.largest_share = 0.4;
  const auto several = exchangeWork(shape);
  BOOST_TEST(several.pushed_bytes == 3 * 0.4 * kBytes, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(several.left_share == 1);
  shape.workers = 2;  // one other: what it sends is answered at once
  const auto one = exchangeWork(shape);
  BOOST_TEST(one.pushed_bytes == one.link_bytes);
  BOOST_TEST(one.left_share == 0);
}

// One model: what a coordinator chooses by is what experiments predict.
BOOST_AUTO_TEST_CASE(agrees_with_what_auto_computes_with) {
  job::TrainingJob job;
  job.strategy.method = std::nullopt;
  const ExchangeCosts costs{.hop = 3e-5, .message = 7e-6, .byte = 2e-9, .add = 5e-10};
  for (const std::int64_t values : {100, 61'706, 4'651'600}) {
    for (const int parts : {8, 12}) {
      const ExchangePlan plan = makeExchangePlan({values}, parts);
      for (const int workers : {2, 3, 4, 8}) {
        job.worker.replicas = workers;
        for (const ExchangeMethod method : canonicalMethods(plan, workers)) {
          ExchangeShape shape = exchangeShapeOf(job, plan, costs);
          shape.method = method;
          shape.largest_share = 0;  // which `auto` does not look at
          BOOST_TEST(exchangeSeconds(exchangeWork(shape), costs) ==
                         predictedSeconds(method, plan, workers, costs),
                     boost::test_tools::tolerance(1e-9));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::exchange_work_test
