#include <algorithm>
#include <cmath>
#include <string>

#include <boost/test/unit_test.hpp>

#include "planner/advice/advise.h"
#include "planner/advice/answer.h"
#include "planner/advice/prepared_configurations.h"
#include "tests/unit/planner/advice/questions.h"

// What a prediction may be off, and what follows from that; and that one answer has one figure for
// one thing.

namespace sumac::planner::margin_test {
namespace {

Advice adviceFor(const AdviceQuestion& question) {
  auto advice = advise(question);
  BOOST_TEST_REQUIRE(advice.has_value(), (advice ? "" : advice.error().message));
  BOOST_TEST_REQUIRE(advice->recommended.has_value());
  return *std::move(advice);
}

const Configuration& taken(const Advice& advice) {
  return advice.taken();
}

bool has(const Advice& advice, NoteKind kind) {
  return std::ranges::count(advice.notes, kind, &Note::kind) > 0;
}

bool has(const Advice& advice, ReasonKind kind) {
  return std::ranges::count(advice.reasons, kind, &Reason::kind) > 0;
}

/// One or two workers; two are faster by far.
AdviceQuestion ofTwoWorkers() {
  AdviceQuestion question = aQuestion();
  question.link_bytes_per_second = aFigure(1e10);
  question.most_workers = 2;
  question.job.training.batch_size = 512;  // computing takes most, by far
  return question;
}

void disturb(JobProfile& profile, double spread) {
  for (BatchProfile& batch : profile.batches) {
    for (Timing* const time : {&batch.forward, &batch.backward, &batch.update})
      *time = {time->median, time->median * (1 - spread), time->median * (1 + spread)};
  }
}

/// Passes by so many threads take so many times as long.
void slow(JobProfile& profile, int threads, double times) {
  for (BatchProfile& batch : profile.batches) {
    if (batch.threads != threads) continue;
    for (Timing* const time : {&batch.forward, &batch.backward})
      *time = exactly(times * time->median);
  }
}

const Assessment& of(const Advice& advice, Strategy strategy) {
  return *std::ranges::find(advice.strategies, strategy, &Assessment::strategy);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(margins)

BOOST_AUTO_TEST_CASE(of_mini_batches_that_cannot_be_told_apart_the_jobs_own_is_taken) {
  AdviceQuestion question = aQuestion();
  question.noise = NoiseFigure{aFigure(500), {}, {}};
  question.most_workers = 1;
  BOOST_TEST(taken(adviceFor(question)).choice.batch != question.job.training.batch_size);
  disturb(question.profile, 1);
  BOOST_TEST(taken(adviceFor(question)).choice.batch == question.job.training.batch_size);
}

BOOST_AUTO_TEST_CASE(what_a_disturbed_profile_cannot_tell_apart_has_the_fewest_members) {
  AdviceQuestion question = ofTwoWorkers();
  BOOST_TEST(taken(adviceFor(question)).choice.workers == 2);
  BOOST_TEST(!has(adviceFor(question), NoteKind::kDisturbed));
  constexpr double kMoreThanTheGain = 1.2;
  disturb(question.profile, kMoreThanTheGain);

  const Advice advice = adviceFor(question);

  BOOST_TEST(taken(advice).choice.workers == 1);
  BOOST_TEST(has(advice, ReasonKind::kEqualToBest));
  BOOST_TEST(has(advice, NoteKind::kDisturbed));
}

BOOST_AUTO_TEST_CASE(a_margin_is_the_spread_of_the_rows_that_are_used) {
  AdviceQuestion question = ofTwoWorkers();
  question.most_workers = 1;
  disturb(question.profile, 0.1);

  const Advice advice = adviceFor(question);

  BOOST_TEST(taken(advice).margin == std::hypot(0.1, kModelError),
             boost::test_tools::tolerance(0.02));
}

BOOST_AUTO_TEST_CASE(a_margin_of_an_exchange_is_the_error_of_the_links) {
  AdviceQuestion question = ofTwoWorkers();
  auto prepared = prepareConfigurations(question);
  BOOST_TEST_REQUIRE(prepared.has_value());
  prepared->link_error = 0.5;

  const auto answer = answerUnder(question, *prepared, {});

  BOOST_TEST_REQUIRE(answer.has_value());
  for (const Configuration& each : answer->configurations) {
    const double exchange = each.step.exchange + each.step.other;
    BOOST_TEST(each.margin == std::hypot(0.5 * exchange / each.step.seconds(), kModelError),
               boost::test_tools::tolerance(1e-9));
  }
}

BOOST_AUTO_TEST_CASE(more_threads_are_not_assumed_to_be_faster) {
  AdviceQuestion question = ofTwoWorkers();
  question.most_workers = 1;
  question.machine = aMachine();
  question.machine->cores = aFigure(1);
  slow(question.profile, 2, 3);
  const Advice one = adviceFor(question);
  question.machine->cores = aFigure(2);
  const Advice two = adviceFor(question);

  BOOST_TEST(taken(two).threads == 1);
  BOOST_TEST(taken(two).seconds <= taken(one).seconds);
  BOOST_TEST(has(two, NoteKind::kSetThreads));
  BOOST_TEST(!has(one, NoteKind::kSetThreads));
}

BOOST_AUTO_TEST_CASE(workers_that_make_no_step_faster_are_noted) {
  AdviceQuestion question = ofTwoWorkers();
  question.job.training.logical_workers = 4;
  question.job.worker.replicas = 3;
  const Advice three = adviceFor(question);
  question.job.worker.replicas = 4;

  BOOST_TEST(has(three, NoteKind::kSameSpeed));
  BOOST_TEST(!has(adviceFor(question), NoteKind::kSameSpeed));
}

BOOST_AUTO_TEST_CASE(the_jobs_own_limit_of_cores_counts) {
  AdviceQuestion question = ofTwoWorkers();
  question.worker_cores = 1;
  BOOST_TEST(taken(adviceFor(question)).threads == 1);
  BOOST_TEST(!has(adviceFor(question), NoteKind::kUnprofiledLimit));
  question.worker_cores = 4;
  BOOST_TEST(has(adviceFor(question), NoteKind::kUnprofiledLimit));
  question.worker_cores = 0.5;
  BOOST_TEST(has(adviceFor(question), NoteKind::kSlowLimit));
}

BOOST_AUTO_TEST_CASE(a_worker_alone_on_two_cores_has_one_thread_where_that_is_faster) {
  AdviceQuestion question = ofTwoWorkers();
  question.place = Placement::kHere;
  slow(question.profile, 2, 3);

  for (const Configuration& each : adviceFor(question).configurations)
    BOOST_TEST(each.threads == 1, each.choice.workers);
}

BOOST_AUTO_TEST_CASE(one_worker_takes_as_long_here_as_on_a_machine_of_its_own) {
  AdviceQuestion question = ofTwoWorkers();
  question.most_workers = 1;
  for (const int threads : {0, 1, 2}) {
    question.job.training.threads = threads;
    question.place = Placement::kHere;
    const Configuration here = taken(adviceFor(question));
    question.place = Placement::kMachines;
    const Configuration alone = taken(adviceFor(question));
    BOOST_TEST_REQUIRE(here.choice.members() == 1);
    BOOST_TEST(here.seconds == alone.seconds, threads << " threads");
    BOOST_TEST(here.margin == alone.margin, threads << " threads");
  }
}

BOOST_AUTO_TEST_CASE(strategies_and_rules_have_the_steps_of_the_configurations) {
  const AdviceQuestion question = ofTwoWorkers();
  const auto prepared = prepareConfigurations(question);
  BOOST_TEST_REQUIRE(prepared.has_value());
  const double one = stepOfOneWorker(*prepared, question.job.training.batch_size).value();

  const Advice advice = adviceFor(question);

  const double data = of(advice, Strategy::kData).seconds();
  BOOST_TEST(of(advice, Strategy::kSerial).seconds() == one, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(advice.strategies_basis.exposed_seconds == data, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(advice.strategies_basis.seconds_of_one.value() == one);
  BOOST_TEST(advice.sizing.speedup.value() == taken(advice).speedup.value(),
             boost::test_tools::tolerance(1e-9));
  BOOST_TEST(advice.sizing.overhead_ratio.value() > 0);
}

BOOST_AUTO_TEST_CASE(a_step_waits_most_for_its_largest_part) {
  AdviceQuestion question = ofTwoWorkers();
  for (const double rate : {1e5, 1e10}) {
    question.link_bytes_per_second = aFigure(rate);
    for (const Configuration& each : adviceFor(question).configurations) {
      const double compute = each.step.forward + each.step.backward + each.step.update;
      BOOST_TEST((each.step.bound == Bound::kExchange) == (each.step.exchange > compute));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_latency_is_beside_what_it_replaces) {
  AdviceQuestion question = ofTwoWorkers();
  question.machine = aMachine();
  question.machine->hop_seconds = aFigure(1e-3);
  const auto prepared = prepareConfigurations(question);
  BOOST_TEST_REQUIRE(prepared.has_value());

  const Advice advice = adviceFor(question);

  const auto figure = [&advice](FigureName name) {
    return *std::ranges::find(advice.figures, name, &NamedFigure::name);
  };
  BOOST_TEST(prepared->measured_hop < 1e-3);
  BOOST_TEST(figure(FigureName::kHop).figure.value == prepared->measured_hop);
  BOOST_TEST(!figure(FigureName::kHop).is_used);
  BOOST_TEST(figure(FigureName::kMachineHop).figure.value == 1e-3);
  BOOST_TEST(figure(FigureName::kMachineHop).is_used);
}

BOOST_AUTO_TEST_CASE(the_recommended_configuration_is_never_behind_by_less_than_nothing) {
  AdviceQuestion question = ofTwoWorkers();
  question.most_workers = 64;
  for (const double rate : {1e6, 1e7, 1e8, 1e9}) {
    question.link_bytes_per_second = aFigure(rate);
    for (const Change& change : adviceFor(question).changes)
      BOOST_TEST(change.behind >= 0);
  }
}

BOOST_AUTO_TEST_CASE(a_limit_that_the_margin_may_miss_is_told_with_what_keeps_it) {
  AdviceQuestion question = ofTwoWorkers();
  question.machine = aMachine();
  disturb(question.profile, 0.2);
  question.most_workers = 64;
  const Advice free = adviceFor(question);
  question.deadline_seconds = taken(free).seconds * 1.01;
  BOOST_TEST(has(adviceFor(question), ReasonKind::kMayBeLate));
  question.goal = PlanGoal::kCost;
  question.deadline_seconds = taken(free).seconds * 2;
  const Advice cheap = adviceFor(question);
  BOOST_TEST(has(cheap, ReasonKind::kMayBeLate) ==
             (taken(cheap).seconds * (1 + taken(cheap).margin) > *question.deadline_seconds));
  question.goal = PlanGoal::kTime;
  question.deadline_seconds = taken(free).seconds * 10;
  BOOST_TEST(!has(adviceFor(question), ReasonKind::kMayBeLate));
  const auto costOf = [](const Configuration& each) { return *each.cost; };
  question.budget = std::ranges::min(free.configurations, {}, costOf).cost.value() * 1.01;
  BOOST_TEST(has(adviceFor(question), ReasonKind::kMayBeDear));
}

BOOST_AUTO_TEST_CASE(efficiency_is_the_speedup_of_each_worker_whatever_the_mini_batch) {
  AdviceQuestion question = aQuestion();
  question.noise = NoiseFigure{aFigure(50), {}, {}};
  question.goal = PlanGoal::kEfficiency;
  question.most_workers = 4;
  const Advice advice = adviceFor(question);
  for (const Configuration& each : advice.configurations)
    BOOST_TEST(each.efficiency == each.speedup.value() / each.choice.workers,
               boost::test_tools::tolerance(1e-9));
  BOOST_TEST(taken(advice).efficiency > 0.9);
}

BOOST_AUTO_TEST_CASE(cores_that_are_idle_are_told_and_what_is_not_in_the_times) {
  AdviceQuestion question = aQuestion();
  question.machine = aMachine();
  question.machine->cores = aFigure(16);
  const Advice advice = adviceFor(question);
  BOOST_TEST(has(advice, NoteKind::kUnprofiledCores));
  BOOST_TEST(has(advice, NoteKind::kStepsAlone));
  question.machine->cores = aFigure(2);
  BOOST_TEST(!has(adviceFor(question), NoteKind::kUnprofiledCores));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::margin_test
