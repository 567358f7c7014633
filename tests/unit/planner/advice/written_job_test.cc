#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <tuple>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <rapidcheck/boost_test.h>

#include "job/document/limits.h"
#include "planner/advice/advise.h"
#include "planner/advice/prepared_configurations.h"
#include "tests/unit/planner/advice/questions.h"

// The job as written is one of the candidates, whatever it is: who asks compares with it.
namespace sumac::planner::written_job_test {
namespace {

int drawn(int least, int most) {
  return *rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::inRange(least, most + 1)));
}

template <typename Value, std::size_t N>
Value oneOf(const std::array<Value, N>& values) {
  return values.at(static_cast<std::size_t>(drawn(0, static_cast<int>(N) - 1)));
}

bool isPower(int number) {
  return std::has_single_bit(static_cast<unsigned>(number));
}

/// Any way of exchanging that the schema allows to so many workers; nothing: `algorithm: auto`.
void drawExchange(job::TrainingJob& job) {
  using enum ExchangeMethod;
  constexpr std::array kMethods{std::optional<ExchangeMethod>(), std::optional(kServers),
                                std::optional(kServers),         std::optional(kDecentralized),
                                std::optional(kDirect),          std::optional(kScatterGather),
                                std::optional(kHalvingDoubling), std::optional(kRing)};
  job.strategy.codec = oneOf(std::array{Codec::kFp32, Codec::kBf16, Codec::kFp16});
  job.strategy.method = oneOf(kMethods);
  if (job.worker.replicas > job::kMostPeers) job.strategy.method = kServers;
  const bool halves = isPower(job.worker.replicas) && isPower(job.training.logical_workers);
  if (job.strategy.method == kHalvingDoubling && !halves) job.strategy.codec = Codec::kFp32;
  job.server.replicas = job.strategy.hasServers() ? drawn(1, 20) : 0;
}

/// A valid job, and a profile that may not reach its shares.
AdviceQuestion drawnQuestion() {
  AdviceQuestion question = aQuestion();
  job::TrainingJob& job = question.job;
  job.training.batch_size = drawn(1, 600);
  job.training.logical_workers = drawn(1, static_cast<int>(job.training.batch_size));
  job.worker.replicas =
      drawn(1, std::min(drawn(1, 2) == 1 ? 16 : 600, job.training.logical_workers));
  job.training.threads = drawn(0, 3);
  job.training.noise_scale = drawn(0, 1) == 1;
  drawExchange(job);
  question.most_workers = oneOf(std::array{1, 3, 8, 12, 40});
  question.place = oneOf(std::array{Placement::kHere, Placement::kMachines});
  if (drawn(0, 1) == 1) question.noise = NoiseFigure{aFigure(500), {}, {}};
  if (drawn(0, 1) == 1) question.samples = drawn(1, 1000);
  const int least = drawn(1, 64);
  std::erase_if(question.profile.batches, [least](const auto& one) { return one.samples < least; });
  RC_LOG() << "batch " << job.training.batch_size << ", V " << job.training.logical_workers
           << ", N " << job.worker.replicas << ", K " << job.server.replicas << ", at most "
           << question.most_workers << "\n";
  return question;
}

/// Whether it is the job's own choice, with a method where the job says `auto`.
bool isOf(const JobChoice& choice, const job::TrainingJob& job) {
  JobChoice own = choiceOf(job);
  if (!own.method) own.method = choice.method;
  return own.method.has_value() && choice == own;
}

AdviceQuestion written(int workers, int servers, std::optional<ExchangeMethod> method) {
  AdviceQuestion question = aQuestion();
  question.job.training.logical_workers = 16;
  question.job.worker.replicas = workers;
  question.job.server.replicas = servers;
  question.job.strategy.method = method;
  question.most_workers = 16;
  return question;
}

Advice adviceFor(const AdviceQuestion& question) {
  auto advice = advise(question);
  BOOST_TEST_REQUIRE(advice.has_value(), (advice ? "" : advice.error().message));
  return *std::move(advice);
}

bool has(const Advice& advice, NoteKind kind) {
  return std::ranges::count(advice.notes, kind, &Note::kind) > 0;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(written_job)

RC_BOOST_PROP(is_compared_or_is_said_to_have_no_prediction, ()) {
  const AdviceQuestion question = drawnQuestion();
  const auto advice = advise(question);
  if (!advice) {
    // Then nothing at all has one.
    RC_ASSERT(advice.error().code == ErrorCode::kNotFound);
    return;
  }
  const auto left_out = std::ranges::find(advice->unpredicted, true, &Unpredicted::has_written);
  RC_CLASSIFY(!advice->as_written, "not predicted");
  RC_ASSERT(advice->as_written.has_value() == (left_out == advice->unpredicted.end()));
  RC_ASSERT(advice->as_written.has_value() != has(*advice, NoteKind::kWrittenUnpredicted));
  if (!advice->as_written) {
    RC_ASSERT(isOf(left_out->example, question.job));
    return;
  }
  const Configuration& one = advice->configurations.at(*advice->as_written);
  RC_ASSERT(isOf(one.choice, question.job));
  RC_ASSERT(std::ranges::count(advice->configurations, one.choice, &Configuration::choice) == 1);
  if (one.choice.workers > question.most_workers) RC_ASSERT(!one.isPossible());
}

BOOST_AUTO_TEST_CASE(is_compared_with_any_number_of_members_and_any_exchange) {
  using enum ExchangeMethod;
  for (const auto& [workers, servers, method] :
       {std::tuple(10, 1, std::optional(kServers)), std::tuple(4, 3, std::optional(kServers)),
        std::tuple(2, 9, std::optional(kServers)), std::tuple(3, 0, std::optional(kScatterGather)),
        std::tuple(6, 0, std::optional(kHalvingDoubling)),
        std::tuple(10, 0, std::optional<ExchangeMethod>())}) {
    const AdviceQuestion question = written(workers, servers, method);
    const Advice advice = adviceFor(question);
    BOOST_TEST_REQUIRE(advice.as_written.has_value(), workers);
    BOOST_TEST(isOf(advice.configurations.at(*advice.as_written).choice, question.job), workers);
    const auto& scale = advice.scale;
    BOOST_TEST(std::ranges::count(scale, workers, &ScalePoint::workers) == 1, workers);
  }
}

BOOST_AUTO_TEST_CASE(with_an_algorithm_of_auto_takes_what_auto_takes) {
  for (const double rate : {1e10, 1e6}) {
    AdviceQuestion question = written(4, 0, std::nullopt);
    for (LinkMeasurement& link : question.profile.links)
      link.seconds = exactly(100e-6 + static_cast<double>(link.bytes) / rate);
    const auto prepared = prepareConfigurations(question);
    BOOST_TEST_REQUIRE(prepared.has_value());
    const auto plan = makeExchangePlan(question.network, 128, 16);
    BOOST_TEST((prepared->written.method ==
                chooseMethod(plan, 4, prepared->costs.exchange, /*links=*/1).method));
  }
}

BOOST_AUTO_TEST_CASE(with_too_many_workers_is_compared_and_not_taken) {
  AdviceQuestion question = written(10, 1, ExchangeMethod::kServers);
  question.link_bytes_per_second = aFigure(1e10);
  question.most_workers = 4;
  const Advice advice = adviceFor(question);

  BOOST_TEST_REQUIRE(advice.as_written.has_value());
  const Configuration& one = advice.configurations.at(*advice.as_written);
  BOOST_TEST((one.obstacles == std::vector<BrokenLimit>{{PlanLimit::kWorkers, 10, 4}}));
  BOOST_TEST(advice.taken().choice.workers <= 4);
  for (const ScalePoint& point : advice.scale)
    BOOST_TEST(point.workers <= 4);
}

BOOST_AUTO_TEST_CASE(is_what_a_limit_of_workers_keeps_from_being_enough) {
  AdviceQuestion question = written(10, 1, ExchangeMethod::kServers);
  for (BatchProfile& batch : question.profile.batches)
    batch.forward = batch.backward = exactly(1e-3 * static_cast<double>(batch.samples));
  question.link_bytes_per_second = aFigure(1e10);
  question.most_workers = 2;
  const Advice free = adviceFor(question);
  const Configuration& one = free.configurations.at(free.as_written.value());
  BOOST_TEST_REQUIRE(one.seconds < free.taken().seconds);
  question.deadline_seconds = one.seconds;

  const Advice late = adviceFor(question);

  BOOST_TEST_REQUIRE(late.obstruction.has_value());
  BOOST_TEST(late.configurations.at(late.obstruction->fastest.value()).choice.workers <= 2);
  BOOST_TEST(late.obstruction->enough.back().workers.value() == 10);
  BOOST_TEST(late.obstruction->enough.front().deadline_seconds.value() > one.seconds);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::written_job_test
