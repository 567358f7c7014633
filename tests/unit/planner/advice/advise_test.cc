#include "planner/advice/advise.h"

#include <algorithm>
#include <string>

#include <boost/test/unit_test.hpp>

#include "planner/advice/advice_parts.h"
#include "planner/advice/answer.h"
#include "planner/advice/prepared_configurations.h"
#include "tests/unit/planner/advice/questions.h"

namespace sumac::planner {
namespace {

Advice adviceFor(const AdviceQuestion& question) {
  auto advice = advise(question);
  BOOST_TEST_REQUIRE(advice.has_value(), (advice ? "" : advice.error().message));
  return *std::move(advice);
}

const Configuration& recommended(const Advice& advice) {
  BOOST_TEST_REQUIRE(advice.recommended.has_value());
  return advice.taken();
}

Advice overLink(double bytes_per_second) {
  AdviceQuestion question = aQuestion();
  question.link_bytes_per_second = aFigure(bytes_per_second);
  return adviceFor(question);
}

bool hasNote(const Advice& advice, NoteKind kind) {
  return std::ranges::count(advice.notes, kind, &Note::kind) > 0;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(advise_a_job)

BOOST_AUTO_TEST_CASE(configurations_are_ranked_and_the_simplest_of_the_best_is_taken) {
  const Advice advice = adviceFor(aQuestion());

  const Configuration& taken = recommended(advice);
  const Configuration& best = advice.configurations.front();
  BOOST_TEST(std::ranges::is_sorted(advice.configurations, {}, &Configuration::seconds));
  BOOST_TEST(taken.seconds <= best.seconds * (1 + indifference(best, taken)));
  for (const Configuration& each : advice.configurations) {
    if (each.seconds <= best.seconds * (1 + indifference(best, each)))
      BOOST_TEST(taken.choice.members() <= each.choice.members());
  }
  BOOST_TEST(static_cast<double>(taken.steps) * taken.step.seconds() == taken.seconds,
             boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(a_slow_link_has_fewer_workers_than_a_fast_one) {
  const Advice slow = overLink(1e6);
  const Advice fast = overLink(1e10);

  BOOST_TEST(recommended(slow).choice.workers == 1);
  BOOST_TEST(recommended(fast).choice.workers > 1);
}

BOOST_AUTO_TEST_CASE(members_that_share_two_cores_are_at_most_a_few) {
  AdviceQuestion question = aQuestion();
  question.place = Placement::kHere;

  BOOST_TEST(recommended(adviceFor(question)).choice.workers <= 2);
}

BOOST_AUTO_TEST_CASE(the_scale_has_the_best_configuration_of_each_number_of_workers) {
  const Advice advice = adviceFor(aQuestion());

  BOOST_TEST(advice.scale.size() == workerCounts(64).size());
  for (const ScalePoint& point : advice.scale) {
    BOOST_TEST_REQUIRE(point.best.has_value());
    const Configuration& best = advice.configurations.at(*point.best);
    BOOST_TEST(best.choice.workers == point.workers);
    for (const Configuration& each : advice.configurations) {
      if (each.choice.workers == point.workers) BOOST_TEST(best.seconds <= each.seconds);
    }
  }
}

BOOST_AUTO_TEST_CASE(more_workers_than_samples_are_told_apart_from_what_was_not_profiled) {
  AdviceQuestion question = aQuestion();
  question.most_workers = 256;
  std::erase_if(question.profile.batches,
                [](const BatchProfile& batch) { return batch.samples < 8; });

  const Advice advice = adviceFor(question);

  const auto at = [&](int workers) {
    return *std::ranges::find(advice.scale, workers, &ScalePoint::workers);
  };
  BOOST_TEST((at(64).gap == ScaleGap::kSmallShares));
  BOOST_TEST((at(256).gap == ScaleGap::kFewSamples));
  BOOST_TEST_REQUIRE(!advice.unpredicted.empty());
  BOOST_TEST(advice.unpredicted.front().share.samples < 8);
}

BOOST_AUTO_TEST_CASE(of_two_codecs_of_half_the_bytes_the_jobs_own_is_compared) {
  for (const Codec own : {Codec::kFp32, Codec::kBf16, Codec::kFp16}) {
    AdviceQuestion question = aQuestion();
    question.job.strategy.codec = own;
    const Codec other = own == Codec::kFp16 ? Codec::kBf16 : Codec::kFp16;

    const Advice advice = adviceFor(question);

    BOOST_TEST(advice.as_written.has_value());
    for (const Configuration& each : advice.configurations)
      BOOST_TEST(each.choice.codec != other);
    const Unpredicted& left_out = advice.unpredicted.back();
    BOOST_TEST(left_out.example.codec == other);
    BOOST_TEST(left_out.candidates < advice.configurations.size());
    BOOST_TEST(left_out.same_as.has_value());
  }
}

BOOST_AUTO_TEST_CASE(larger_mini_batches_are_compared_only_with_a_noise_scale) {
  AdviceQuestion question = aQuestion();
  const Advice without = adviceFor(question);
  question.noise = NoiseFigure{aFigure(1000), 500, 2000};
  question.samples = 1000;
  const Advice with = adviceFor(question);

  BOOST_TEST(std::ranges::all_of(without.configurations, [](const Configuration& each) {
    return each.choice.batch == 128 && each.steps == 100;
  }));
  BOOST_TEST(hasNote(without, NoteKind::kOneMiniBatch));
  const auto largest = std::ranges::max(
      with.configurations, {}, [](const Configuration& each) { return each.choice.batch; });
  BOOST_TEST(largest.choice.batch == 512);  // 1024 samples are more than an epoch has
  // (512 / 128) (1000 + 128) / (1000 + 512) steps of 128 are worth one of 512: 33.5 of them in all
  BOOST_TEST(largest.steps == 34);
  BOOST_TEST(largest.seconds == 34 * largest.step.seconds(), boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(a_price_gives_costs_of_all_machines) {
  AdviceQuestion question = aQuestion();
  question.machine = aMachine();
  question.goal = PlanGoal::kCost;

  const Advice advice = adviceFor(question);

  for (const Configuration& each : advice.configurations) {
    const double hours = each.seconds / 3600;
    BOOST_TEST(each.cost.value() == 3.6 * hours * each.choice.members(),
               boost::test_tools::tolerance(1e-9));
  }
  BOOST_TEST(recommended(advice).choice.members() == 1);
  BOOST_TEST(hasNote(advice, NoteKind::kComputingAsProfiled));
}

BOOST_AUTO_TEST_CASE(only_what_changes_the_answer_is_a_change) {
  const Advice advice = overLink(2e8);

  const JobChoice& taken = recommended(advice).choice;
  for (const Change& change : advice.changes) {
    BOOST_TEST_REQUIRE(change.choice.has_value());
    BOOST_TEST((*change.choice != taken));
  }
  BOOST_TEST(!advice.changes.empty());
  BOOST_TEST(!advice.unchanged.empty());
}

BOOST_AUTO_TEST_CASE(all_strategies_are_assessed) {
  const Advice advice = adviceFor(aQuestion());

  BOOST_TEST(advice.strategies.size() == kStrategies.size());
  for (const Assessment& one : advice.strategies)
    BOOST_TEST((one.seconds() > 0) == one.estimate.has_value());
}

BOOST_AUTO_TEST_CASE(every_figure_is_told_once) {
  AdviceQuestion question = aQuestion();
  question.machine = aMachine();
  question.machine->memory_bytes = aFigure(4e9);
  question.machine->operations_per_second = aFigure(1e12);
  question.machine->memory_bytes_per_second = aFigure(25e9);
  question.link_bytes_per_second = aFigure(1e8);

  const Advice advice = adviceFor(question);

  BOOST_TEST(advice.figures.size() == 14U);
  for (const NamedFigure& named : advice.figures)
    BOOST_TEST(std::ranges::count(advice.figures, named.name, &NamedFigure::name) == 1);
  BOOST_TEST(std::ranges::count(advice.figures, FigureOrigin::kMeasured,
                                [](const auto& named) { return named.figure.origin; }) == 9);
}

BOOST_AUTO_TEST_CASE(a_peak_below_the_profile_is_told_and_what_is_not_used_too) {
  AdviceQuestion question = aQuestion();
  question.machine = aMachine();
  const double profiled = profiledOperations(question);
  // 416,520 multiply-accumulates in 2.5 us, as the synthetic profile has it by two threads.
  BOOST_TEST(profiled == 2 * 416'520 / 2.5e-6, boost::test_tools::tolerance(1e-3));
  question.machine->memory_bytes_per_second = aFigure(25e9);
  question.machine->operations_per_second = aFigure(profiled / 2);
  const Advice slow = adviceFor(question);
  BOOST_TEST(hasNote(slow, NoteKind::kAbovePeak));
  const auto bandwidth =
      *std::ranges::find(slow.figures, FigureName::kBandwidth, &NamedFigure::name);
  BOOST_TEST(!bandwidth.is_used);

  question.machine->operations_per_second = aFigure(profiled * 2);
  BOOST_TEST(!hasNote(adviceFor(question), NoteKind::kAbovePeak));
}

BOOST_AUTO_TEST_CASE(rules_of_zou_divide_the_passes_and_nothing_else) {
  AdviceQuestion question = aQuestion();
  question.most_workers = 1;
  question.place = Placement::kHere;
  const Advice one = adviceFor(question);
  const StepTime& step = recommended(one).step;
  BOOST_TEST(recommended(one).choice.members() == 1);
  BOOST_TEST(one.sizing.overhead_ratio.value() == step.update / (step.forward + step.backward),
             boost::test_tools::tolerance(1e-9));
  BOOST_TEST(!one.sizing.has_exchange);  // there is no exchange to hide

  const Advice several = overLink(1e10);
  BOOST_TEST(several.sizing.has_exchange);
}

BOOST_AUTO_TEST_CASE(strategies_are_by_layers_of_as_many_threads_as_the_configuration_has) {
  AdviceQuestion question = aQuestion();
  const Advice before = adviceFor(question);
  const int threads = recommended(before).threads;
  // All time is in the first layer in rows of other numbers of threads.
  for (BatchProfile& batch : question.profile.batches) {
    if (batch.threads == threads) continue;
    for (std::size_t i = 1; i < batch.layers.size(); ++i)
      batch.layers[i].forward_seconds = batch.layers[i].input_gradient_seconds = 0;
  }
  const Advice after = adviceFor(question);
  for (std::size_t i = 0; i < before.strategies.size(); ++i)
    BOOST_TEST(before.strategies[i].seconds() == after.strategies[i].seconds());
}

BOOST_AUTO_TEST_CASE(ten_thousand_layers_are_compared_by_their_buckets) {
  AdviceQuestion question = aQuestion();
  constexpr int kLayers = 10'000;
  for (BatchProfile& batch : question.profile.batches) {
    LayerProfile layer = batch.layers.front();
    for (TensorProfile& tensor : layer.tensors)
      tensor.values = 3;  // 60,000 in all
    batch.layers.assign(kLayers, layer);
  }
  question.job.training.threads = 1;  // of two cores: buckets of 64 KiB
  question.most_workers = 8;

  const auto prepared = prepareConfigurations(question);

  BOOST_TEST_REQUIRE(prepared.has_value());
  // A step's time is computed for each way under a dozen conditions, piece by piece.
  for (const PreparedConfiguration& each : prepared->configurations)
    BOOST_TEST(each.shape.compute.backward.size() == 4U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner
