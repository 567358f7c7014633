#include "engine/memory/memory_need.h"

#include <boost/test/unit_test.hpp>

#include "engine/make/make_engine.h"
#include "tests/support/golden.h"
#include "tests/support/kernel_variants.h"

namespace sumac::worker::memory_need_test {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

model::Network zoo(const char* name) {
  return model::resolve(model::fromZoo(name).value()).value();
}

job::TrainingJob jobOf(std::int64_t batch_size, int parts, int workers) {
  job::TrainingJob job;
  job.training.batch_size = batch_size;
  job.training.logical_workers = parts;
  job.worker.replicas = workers;
  return job;
}

MemoryNeed needOf(const job::TrainingJob& job, const model::Network& network, int index) {
  const auto plan =
      makeExchangePlan(network, job.training.batch_size, job.training.logical_workers);
  return memoryNeed(job, network, plan, everyVariant().front(), index).value();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(memory_need)

BOOST_AUTO_TEST_CASE(an_engine_takes_what_was_said_before_it_was_made) {
  const model::Network network = zoo("lenet5");
  ComputePool pool(1);
  for (const Kernels& kernels : everyVariant()) {
    const Engine::Options options{.max_samples = 64};
    const std::uint64_t bytes = engineBytes(network, kernels, options).value();
    BOOST_TEST(makeEngine(network, kernels, pool, options).value()->bytes() == bytes);
    BOOST_TEST(bytes > kMiB);
  }
}

BOOST_AUTO_TEST_CASE(a_network_that_no_machine_could_hold_is_sized_in_an_instant) {
  const auto need = needOf(jobOf(/*batch_size=*/100'000, 1, 1), zoo("resnet50"), 0);
  BOOST_TEST(need.engine > std::uint64_t{4'000'000} * kMiB);
  BOOST_TEST(need.total() == need.engine + need.buffers.weights + need.buffers.gradients +
                                 need.buffers.data + need.buffers.program);
}

BOOST_AUTO_TEST_CASE(large_weight_sums_are_not_kept_between_groups_of_blocks) {
  // 512 x 512 x 3 x 3 weights: one sum a lane for each would be more than all other buffers.
  model::NetworkSpec spec{"wide", {512, 4, 4}, {}};
  spec.layers = {{"conv", model::Conv2d{.outputs = 512, .kernel = 3, .padding = 1}, {}},
                 {"flatten", model::Flatten{}, {}},
                 {"fc", model::Dense{2}, {}},
                 {"loss", model::SoftmaxCrossEntropy{}, {}}};
  const model::Network network = model::resolve(spec).value();
  for (const Kernels& kernels : everyVariant()) {
    const std::uint64_t bytes = engineBytes(network, kernels, {.max_samples = 64}).value();
    const std::uint64_t sums = std::uint64_t{512} * 512 * 9 * kernels->lanes * sizeof(float);
    BOOST_TEST(bytes > 9 * kMiB);  // the packed weights
    BOOST_TEST(bytes < 9 * kMiB + sums);
  }
}

BOOST_AUTO_TEST_CASE(convolutions_share_the_memory_of_their_backward_passes) {
  const auto bytesOf = [](const Kernels& kernels, int convolutions) {
    model::NetworkSpec spec{"deep", {16, 32, 32}, {}};
    for (int i = 0; i < convolutions; ++i) {
      spec.layers.push_back({"conv" + std::to_string(i),
                             model::Conv2d{.outputs = 16, .kernel = 3, .padding = 1},
                             {}});
    }
    spec.layers.push_back({"flatten", model::Flatten{}, {}});
    spec.layers.push_back({"fc", model::Dense{2}, {}});
    spec.layers.push_back({"loss", model::SoftmaxCrossEntropy{}, {}});
    const model::Network network = model::resolve(spec).value();
    return engineBytes(network, kernels, {.max_samples = 64}).value();
  };
  for (const Kernels& kernels : everyVariant()) {
    const std::uint64_t outputs = std::uint64_t{64} * 16 * 34 * 34 * sizeof(float);
    const std::uint64_t packed = std::uint64_t{2} * 16 * 16 * 9 * sizeof(float);
    BOOST_TEST(bytesOf(kernels, 4) - bytesOf(kernels, 3) == outputs + packed);
  }
}

BOOST_AUTO_TEST_CASE(a_worker_of_several_calls_keeps_weights_packed) {
  const job::TrainingJob job = jobOf(/*batch_size=*/32, /*parts=*/4, /*workers=*/2);
  const auto optionsOf = [&](TreeNode block) {
    return engineOptions(job.training, zoo("lenet5"), block);
  };
  BOOST_TEST(optionsOf({0, 2}).reuses_weights);
  BOOST_TEST(!optionsOf({3, 4}).reuses_weights);
  BOOST_TEST(optionsOf({0, 2}).max_parts == 1);
}

BOOST_AUTO_TEST_CASE(small_parts_of_a_text_are_computed_together) {
  const job::TrainingJob job = jobOf(/*batch_size=*/32, /*parts=*/4, /*workers=*/1);
  model::Network network = zoo("ptb-lstm-small");
  // The network's time steps: a job may leave them to the model.
  const auto optionsOf = [&](int unroll, TreeNode block) {
    network.input.front() = unroll;
    return engineOptions(job.training, network, block);
  };
  BOOST_TEST(optionsOf(16, {1, 4}).max_parts == 3);  // all there are: each has 128 rows
  BOOST_TEST(optionsOf(16, {1, 4}).max_samples == 24);
  BOOST_TEST(!optionsOf(16, {1, 4}).reuses_weights);
  BOOST_TEST(optionsOf(32, {1, 4}).max_parts == 2);
  BOOST_TEST(optionsOf(32, {1, 4}).max_samples == 16);
  BOOST_TEST(optionsOf(32, {1, 4}).reuses_weights);
  BOOST_TEST(optionsOf(1000, {1, 4}).max_parts == 1);
}

BOOST_AUTO_TEST_CASE(only_worker_0_has_buffers_for_evaluation) {
  const job::TrainingJob job = jobOf(/*batch_size=*/32, /*parts=*/4, /*workers=*/4);
  BOOST_TEST(largestBatch(job.training, false, true) == 16);
  BOOST_TEST(largestBatch(job.training, false, false) == 8);
  BOOST_TEST(largestBatch(job.training, true, true) == 32);
  BOOST_TEST(needOf(job, zoo("lenet5"), 0).engine >= needOf(job, zoo("lenet5"), 3).engine);
  const model::Network text = zoo("ptb-lstm-small");
  BOOST_TEST(needOf(job, text, 0).engine > 3 * needOf(job, text, 3).engine);
}

BOOST_AUTO_TEST_CASE(an_evaluation_of_images_takes_no_more_at_once_than_a_part_fills) {
  const auto batchOf = [](std::int64_t part) {
    return evaluationBatch(jobOf(part, 1, 1).training, /*is_text=*/false);
  };
  const std::pair<std::int64_t, std::int64_t> expected[] = {
      {1, 16}, {16, 16}, {17, 32}, {32, 32}, {33, 32}, {48, 32}, {49, 64}, {64, 64}, {65, 65}};
  for (const auto& [part, batch] : expected) {
    BOOST_TEST(batchOf(part) == batch, part << " samples: " << batchOf(part));
    BOOST_TEST(evaluationSum(jobOf(part, 1, 1).training) % batch == 0);
  }
  BOOST_TEST(evaluationBatch(jobOf(32, 4, 1).training, /*is_text=*/true) == 32);
  BOOST_TEST(evaluationBatch(jobOf(256, 4, 1).training, /*is_text=*/true) == 64);
}

BOOST_AUTO_TEST_CASE(a_worker_with_one_photograph_needs_no_memory_for_sixty_four) {
  const model::Network network = zoo("resnet50");
  const std::uint64_t one = needOf(jobOf(1, 1, 1), network, 0).engine;
  BOOST_TEST(one < std::uint64_t{3} * 1024 * kMiB);
  BOOST_TEST(one == needOf(jobOf(16, 1, 1), network, 0).engine);
  BOOST_TEST(3 * one < needOf(jobOf(64, 1, 1), network, 0).engine);
}

BOOST_AUTO_TEST_CASE(who_sums_for_others_needs_memory_for_that) {
  job::TrainingJob job = jobOf(/*batch_size=*/32, /*parts=*/2, /*workers=*/2);
  const model::Network network = zoo("lenet5");
  const std::uint64_t central = needOf(job, network, 0).buffers.gradients;
  job.strategy.method = ExchangeMethod::kDecentralized;
  const std::uint64_t decentralised = needOf(job, network, 0).buffers.gradients;
  job.strategy = {};
  job.strategy.method = std::nullopt;
  const std::uint64_t direct = needOf(job, network, 0).buffers.gradients;
  BOOST_TEST(decentralised > central);
  BOOST_TEST(direct > decentralised);
}

BOOST_AUTO_TEST_CASE(the_largest_of_what_may_be_chosen_counts) {
  const auto gradientsBy = [](std::optional<ExchangeMethod> method, const char* model,
                              int workers) {
    job::TrainingJob job = jobOf(/*batch_size=*/32, /*parts=*/8, workers);
    job.strategy.method = method;
    return needOf(job, zoo(model), 0).buffers.gradients;
  };
  const auto open = [&](const char* model, int workers) {
    return gradientsBy(std::nullopt, model, workers);
  };
  BOOST_TEST(open("lenet5", 4) == gradientsBy(ExchangeMethod::kDirect, "lenet5", 4));
  BOOST_TEST(open("resnet50", 2) == gradientsBy(ExchangeMethod::kDirect, "resnet50", 2));
  BOOST_TEST(open("resnet50", 4) == gradientsBy(ExchangeMethod::kHalvingDoubling, "resnet50", 4));
  BOOST_TEST(open("resnet50", 3) == gradientsBy(ExchangeMethod::kScatterGather, "resnet50", 3));
}

BOOST_AUTO_TEST_CASE(the_largest_part_counts_where_parts_differ) {
  BOOST_TEST(largestBatch(jobOf(130, 4, 2).training, false, false) == 33);
  BOOST_TEST(largestBatch(jobOf(700, 4, 2).training, false, true) == 175);
}

BOOST_AUTO_TEST_CASE(optimizer_state_is_counted) {
  job::TrainingJob job = jobOf(32, 4, 1);
  const model::Network network = zoo("lenet5");
  const auto vectors = static_cast<std::uint64_t>(network.parameters) * sizeof(float);
  BOOST_TEST(needOf(job, network, 0).buffers.weights == 2 * vectors);
  job.training.optimizer.momentum = 0.9;
  BOOST_TEST(needOf(job, network, 0).buffers.weights == 3 * vectors);
  job.training.optimizer.name = job::OptimizerName::kAdam;
  BOOST_TEST(needOf(job, network, 0).buffers.weights == 4 * vectors);
}

BOOST_AUTO_TEST_CASE(a_limit_that_is_too_low_is_named_with_what_is_needed_and_what_to_change) {
  const MemoryNeed need{
      .engine = 1500 * kMiB,
      .buffers = {
          .weights = 20 * kMiB, .gradients = 40 * kMiB, .data = 10 * kMiB, .program = 32 * kMiB}};
  BOOST_TEST(memoryProblem(need, std::nullopt).empty());
  BOOST_TEST(memoryProblem(need, 1602 * kMiB).empty());
  test::Transcript said;
  said.add("a limit 1 byte too low", memoryProblem(need, 1602 * kMiB - 1));
  said.add("no memory", memoryShortage(need));
  test::checkGolden("engine/memory/memory_need.txt", said.text());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::memory_need_test
