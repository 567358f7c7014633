#include "cli/bench/exchange_cell.h"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "exchange/plan/job_plan.h"
#include "job/document/job.h"

namespace sumac::cli::exchange_cell_test {
namespace {

namespace data = boost::unit_test::data;

job::TrainingJob jobOf(const ExchangeCell& cell) {
  auto reading = job::readJob(exchangeDocument(cell), "<bench>", {}, /*needs_to_run=*/true);
  BOOST_TEST_REQUIRE(reading.job.has_value(), job::problemList(reading.problems));
  return *reading.job;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(exchange_cell)

BOOST_DATA_TEST_CASE(a_document_has_a_vector_of_exactly_that_size,
                     data::make({1'000, 4'000, 248'000, 1'048'576, 64'000'000, 1'000'000'000,
                                 /*twice a prime=*/8 * 10'007}),
                     bytes) {
  ExchangeCell cell;
  cell.bytes = bytes;
  cell.steps = 20;

  const auto plan = makeJobPlan(jobOf(cell), /*size=*/0);

  BOOST_REQUIRE(plan.has_value());
  BOOST_TEST(plan->exchange.parameters * 4 == bytes);
}

BOOST_AUTO_TEST_CASE(a_document_has_the_members_and_more_steps_to_warm_up_and_to_check) {
  const auto job = jobOf({4'000, ExchangeMethod::kServers, /*workers=*/3, /*servers=*/2,
                          /*steps=*/100, /*is_encrypted=*/true});

  BOOST_TEST(job.worker.replicas == 3);
  BOOST_TEST(job.server.replicas == 2);
  BOOST_TEST(job.training.logical_workers == 3);
  BOOST_TEST(job.training.steps.value() == 127);
  BOOST_TEST((job.transport == job::Transport::kCurve));
}

BOOST_AUTO_TEST_CASE(pods_are_told_to_measure_and_members_on_this_machine_by_a_flag) {
  const ExchangeCell cell{4'000, ExchangeMethod::kDirect, 2, 1, 20, true};
  BOOST_TEST(exchangeDocument(cell).find("SUMAC_EXCHANGE_ONLY") == std::string::npos);

  const std::string document = exchangeDocument(cell, /*is_for_pods=*/true);

  BOOST_TEST(document.find("env: [{name: SUMAC_EXCHANGE_ONLY, value: \"true\"}]") !=
             std::string::npos);
  const auto reading = job::readJob(document, "<bench>", {}, /*needs_to_run=*/false);
  BOOST_TEST(reading.job.has_value(), job::problemList(reading.problems));
}

BOOST_AUTO_TEST_CASE(only_centralized_has_servers) {
  for (const auto method : {ExchangeMethod::kDecentralized, ExchangeMethod::kDirect,
                            ExchangeMethod::kHalvingDoubling, ExchangeMethod::kRing}) {
    const auto job = jobOf({4'000, method, 2, 1, 20, false});

    BOOST_TEST(!job.strategy.hasServers());
    BOOST_TEST(job.server.replicas == 0);
  }
}

BOOST_DATA_TEST_CASE(rejects_sizes_that_no_vector_has,
                     data::make({std::int64_t{0}, std::int64_t{992}, std::int64_t{4'004},
                                 std::int64_t{1'000'000'008}}),
                     bytes) {
  const auto checked = checkExchangeSize(bytes);

  BOOST_REQUIRE(!checked.has_value());
  BOOST_TEST(checked.error().message.find("multiple of 8 bytes") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(small_vectors_are_exchanged_more_often_than_large_ones) {
  BOOST_TEST(defaultSteps(4'000) == 2'000);
  BOOST_TEST(defaultSteps(300'000) == 1'000);
  BOOST_TEST(defaultSteps(64'000'000) == 20);
}

BOOST_AUTO_TEST_CASE(every_method_is_that_of_the_job_and_has_the_name_of_documents) {
  for (const std::string_view name :
       {"centralized", "decentralized", "direct", "scatterGather", "halvingDoubling", "ring"}) {
    const auto method = exchangeMethodFrom(name);
    BOOST_TEST_REQUIRE(method.has_value());
    BOOST_TEST(toString(method) == name);
    BOOST_TEST((jobOf({4'000, *method, 2, 1, 20, false}).strategy.method == method));
  }
  BOOST_TEST(!exchangeMethodFrom("tree").has_value());
  BOOST_TEST(!exchangeMethodFrom("auto").has_value());
}

BOOST_AUTO_TEST_CASE(reads_what_worker_0_says) {
  const auto figures = exchangeFigures(
      R"({"p50": 0.5, "least": 0.25, "most": 2, "steps": 9, "bytes": 8, "sentBytesPerStep": 300,
          "receivedBytesPerStep": 200})");

  BOOST_REQUIRE(figures.has_value());
  BOOST_TEST(figures->p50 == 0.5);
  BOOST_TEST(figures->most == 2);
  BOOST_TEST(figures->sent_bytes == 300);
}

BOOST_DATA_TEST_CASE(rejects_other_texts,
                     data::make({"", "[]", "null", R"({"p50": 1})",
                                 R"({"p50": "1", "least": 1, "most": 1, "sentBytesPerStep": 1,
                                     "receivedBytesPerStep": 1})"}),
                     text) {
  BOOST_TEST(!exchangeFigures(text).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::exchange_cell_test
