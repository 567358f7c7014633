#include "exchange/plan/plan_text.h"

#include <functional>
#include <set>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "exchange/plan/numerics.h"

namespace sumac::plan_text_test {
namespace {

model::Network lenet() {
  return model::resolve(model::fromZoo("lenet5").value()).value();
}

using Change = std::function<void(job::TrainingJob&)>;

job::GeneratedData& generated(job::TrainingJob& job) {
  return job.data.generated.emplace();
}

/// Every field that fixes the bits of a result, changed.
std::vector<Change> changes() {
  using job::TrainingJob;
  return {
      [](TrainingJob& job) { job.name = "other"; },
      [](TrainingJob& job) { job.data.name = "other"; },
      [](TrainingJob& job) { job.data.path = "/somewhere"; },
      [](TrainingJob& job) { generated(job); },
      [](TrainingJob& job) { generated(job).train_samples = 1; },
      [](TrainingJob& job) { generated(job).test_samples = 1; },
      [](TrainingJob& job) { generated(job).shape = {1}; },
      [](TrainingJob& job) { generated(job).classes = 1; },
      [](TrainingJob& job) { generated(job).train_tokens = 1; },
      [](TrainingJob& job) { generated(job).test_tokens = 1; },
      [](TrainingJob& job) { generated(job).vocabulary = 1; },
      [](TrainingJob& job) { job.data.resize = {.height = 7, .width = 1}; },
      [](TrainingJob& job) { job.data.channels = 3; },
      [](TrainingJob& job) { job.data.label = "kind"; },
      [](TrainingJob& job) { job.data.validation = 0.1; },
      [](TrainingJob& job) { job.data.normalize = job::Normalize::kMeanStd; },
      [](TrainingJob& job) { job.data.augment.flip = true; },
      [](TrainingJob& job) { job.data.augment.crop = 7; },
      [](TrainingJob& job) { job.data.augment.rotate = 7; },
      [](TrainingJob& job) { job.training.batch_size = 7; },
      [](TrainingJob& job) { job.training.logical_workers = 7; },
      [](TrainingJob& job) { job.training.seed = 7; },
      [](TrainingJob& job) { job.training.loss_reduction = job::LossReduction::kSumOverTime; },
      [](TrainingJob& job) { job.training.initializer.kind = model::InitializerKind::kHe; },
      [](TrainingJob& job) { job.training.initializer.scale = 0.1; },
      [](TrainingJob& job) { job.training.clip_global_norm = 0.1; },
      [](TrainingJob& job) { job.training.clip_value = 0.1; },
      [](TrainingJob& job) { job.training.optimizer.name = job::OptimizerName::kNesterov; },
      [](TrainingJob& job) { job.training.optimizer.learning_rate = 0.7; },
      [](TrainingJob& job) { job.training.optimizer.momentum = 0.7; },
      [](TrainingJob& job) { job.training.optimizer.weight_decay = 0.7; },
      [](TrainingJob& job) { job.training.optimizer.beta1 = 0.7; },
      [](TrainingJob& job) { job.training.optimizer.beta2 = 0.7; },
      [](TrainingJob& job) { job.training.optimizer.epsilon = 0.7; },
      [](TrainingJob& job) { job.training.schedule.name = job::ScheduleName::kHold; },
      [](TrainingJob& job) { job.training.schedule.warmup_steps = 7; },
      [](TrainingJob& job) { job.training.schedule.hold_epochs = 7; },
      [](TrainingJob& job) { job.training.schedule.every_epochs = 7; },
      [](TrainingJob& job) { job.training.schedule.factor = 0.7; },
      [](TrainingJob& job) { job.strategy.method = ExchangeMethod::kRing; },
      [](auto& job) { job.strategy.codec = Codec::kBf16; },
      [](auto& job) { job.strategy.codec = Codec::kFp16; },
      [](auto& job) {
        job.strategy.codec = Codec::kFp16;
        job.strategy.method = ExchangeMethod::kHalvingDoubling;
      },
  };
}

}  // namespace

BOOST_AUTO_TEST_SUITE(plan_text)

BOOST_AUTO_TEST_CASE(differs_where_a_field_that_fixes_the_bits_differs) {
  std::set<std::string> texts{bitsText({}, lenet())};
  for (const Change& change : changes()) {
    job::TrainingJob job;
    change(job);
    BOOST_TEST(texts.insert(bitsText(job, lenet())).second, bitsText(job, lenet()));
  }
}

BOOST_AUTO_TEST_CASE(begins_with_the_numerics_number) {
  const std::string line = "numerics=" + std::to_string(kNumerics) + "\n";
  BOOST_TEST(bitsText({}, lenet()).starts_with(line));
  BOOST_TEST(planText({}, lenet(), makeExchangePlan(lenet(), 2, 1)).starts_with(line));
}

BOOST_AUTO_TEST_CASE(stays_where_only_length_and_places_differ) {
  job::TrainingJob job;
  const std::string before = bitsText(job, lenet());
  job.training.epochs = 7;
  job.training.steps = 7;
  job.training.threads = 7;
  job.training.evaluation_every_epochs = 7;
  job.worker.replicas = 7;
  job.server.replicas = 7;
  job.checkpoint.path = "/elsewhere";
  job.output_path = "/elsewhere";

  BOOST_TEST(bitsText(job, lenet()) == before);
}

BOOST_AUTO_TEST_CASE(members_agree_on_when_weights_are_reported_but_no_bit_depends_on_it) {
  job::TrainingJob job;
  const ExchangePlan plan;
  const std::string bits = bitsText(job, lenet());
  const std::string before = planText(job, lenet(), plan);
  job.checkpoint.every_steps = 7;
  const std::string by_steps = planText(job, lenet(), plan);
  job.checkpoint.every_seconds = 7;
  BOOST_TEST(by_steps != before);
  BOOST_TEST(planText(job, lenet(), plan) != by_steps);
  BOOST_TEST(bitsText(job, lenet()) == bits);
}

BOOST_AUTO_TEST_CASE(stays_where_the_files_of_the_data_are_moved) {
  job::TrainingJob job;
  job.data.path = "data";
  const std::string before = bitsText(job, lenet());
  job.data.path = "/home/me/data";

  BOOST_TEST(bitsText(job, lenet()) == before);
}

// A checkpoint of a version without these fields is resumed.
BOOST_AUTO_TEST_CASE(has_no_line_of_what_is_done_to_samples_unless_it_is_set) {
  BOOST_TEST(bitsText({}, lenet()).find("data.") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(holds_all_of_the_network) {
  const model::Network network = lenet();

  BOOST_TEST(bitsText({}, network).find(model::canonicalText(network)) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(has_a_hash_of_a_network_whose_lines_no_request_to_join_could_hold) {
  const auto text = [](int kernel) {
    auto spec = model::fromZoo("resnet152").value();
    std::get<model::Conv2d>(spec.layers.front().kind).kernel = kernel;
    return bitsText({}, model::resolve(spec).value());
  };

  BOOST_TEST(text(7).size() < 32U * 1024);
  BOOST_TEST(text(7) == text(7));
  BOOST_TEST(text(7) != text(8));
}

BOOST_AUTO_TEST_CASE(says_how_long_and_how_it_is_cut_when_members_compare) {
  const auto text = [](std::int64_t epochs, std::int64_t steps, ExchangePlan plan,
                       ExchangeMethod method = ExchangeMethod::kServers) {
    job::TrainingJob job;
    job.strategy.method = method;
    job.training.epochs = epochs;
    job.training.steps = steps;
    return planText(job, lenet(), plan);
  };
  ExchangePlan more_values;
  more_values.values = 7;
  ExchangePlan more_ranges;
  more_ranges.ranges.resize(7);

  const std::set<std::string> texts{
      text(1, 1, {}),          text(2, 1, {}),
      text(1, 2, {}),          text(1, 1, {}, ExchangeMethod::kDecentralized),
      text(1, 1, more_values), text(1, 1, more_ranges)};
  BOOST_TEST(texts.size() == 6U);
}

// Peers compare hashes of these texts.
BOOST_AUTO_TEST_CASE(every_method_has_the_name_that_peers_of_any_version_give_it) {
  const std::pair<std::optional<ExchangeMethod>, const char*> names[] = {
      {ExchangeMethod::kServers, "servers"},
      {ExchangeMethod::kDecentralized, "decentralized"},
      {std::nullopt, "allReduce.0"},
      {ExchangeMethod::kDirect, "allReduce.1"},
      {ExchangeMethod::kScatterGather, "allReduce.2"},
      {ExchangeMethod::kHalvingDoubling, "allReduce.3"},
      {ExchangeMethod::kRing, "allReduce.4"}};
  for (const auto& [method, name] : names) {
    job::TrainingJob job;
    job.strategy.method = method;
    const std::string text = planText(job, lenet(), {});
    BOOST_TEST(text.find(std::string("\nstrategy=") + name + "\n") != std::string::npos, text);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::plan_text_test
