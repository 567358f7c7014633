#include "exchange/membership/member_files.h"

#include <boost/test/unit_test.hpp>

namespace sumac::member_files_test {
namespace {

job::TrainingJob jobOf(int workers, int servers) {
  job::TrainingJob job;
  job.worker.replicas = workers;
  job.server.replicas = servers;
  if (servers == 0) job.strategy.method = ExchangeMethod::kDecentralized;
  return job;
}

job::TrainingJob allReduce(int workers, std::optional<ExchangeMethod> method) {
  job::TrainingJob job = jobOf(workers, 0);
  job.strategy.method = method;
  return job;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(member_files)

BOOST_AUTO_TEST_CASE(count_four_for_each_peer_that_a_worker_connects_to) {
  const job::TrainingJob job = jobOf(32, 0);
  const std::int64_t alone = memberFiles(jobOf(1, 0), {Role::kWorker, 0});

  // The last one connects to all others, and to the coordinator once more.
  BOOST_TEST(memberFiles(job, {Role::kWorker, 31}) == alone + 4 * 31 + 4);
  // The coordinator is connected to, by each other worker twice.
  BOOST_TEST(memberFiles(job, {Role::kWorker, 0}) == alone + 2 * 31);
  BOOST_TEST(mostMemberFiles(job) == alone + 4 * 32);
  BOOST_TEST(mostMemberFiles(job) > 128);
  BOOST_TEST(alone < 64);
}

BOOST_AUTO_TEST_CASE(count_the_connections_of_servers) {
  const std::int64_t alone = memberFiles(jobOf(1, 0), {Role::kWorker, 0});
  const job::TrainingJob job = jobOf(500, 3);

  BOOST_TEST(memberFiles(job, {Role::kWorker, 499}) == alone + 4 * (3 + 1));
  BOOST_TEST(memberFiles(job, {Role::kServer, 0}) == alone + 2 * 500 + 2);
  BOOST_TEST(memberFiles(job, {Role::kServer, 2}) == alone + 500 + 4);
  BOOST_TEST(mostMemberFiles(job) == memberFiles(job, {Role::kServer, 0}));
}

BOOST_AUTO_TEST_CASE(count_only_neighbours_where_workers_pass_sums_on) {
  const std::int64_t alone = memberFiles(jobOf(1, 0), {Role::kWorker, 0});

  const auto last = [](std::optional<ExchangeMethod> method) {
    return memberFiles(allReduce(64, method), {Role::kWorker, 63});
  };

  BOOST_TEST(last(ExchangeMethod::kRing) == alone + 4 * (2 + 1));
  BOOST_TEST(last(ExchangeMethod::kHalvingDoubling) == alone + 4 * (6 + 1));
  BOOST_TEST(last(std::nullopt) == alone + 4 * (63 + 1));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::member_files_test
