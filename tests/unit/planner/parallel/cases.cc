#include "tests/unit/planner/parallel/cases.h"

#include <string>
#include <utility>
#include <variant>

#include "base/core/check.h"
#include "job/model/network.h"
#include "planner/network/from_model.h"
#include "tests/papers/architectures.h"
#include "tests/papers/kahira/published.h"

namespace sumac::planner::parallel_test {
namespace {

/// What the tool does not count: biases, batch norm, projections, and the loss.
NetworkCost asToolCounts(LayerList list) {
  std::erase_if(list.layers, [](const Layer& layer) {
    return layer.kind == LayerKind::kNormalization ||
           layer.name.find(".shortcut.") != std::string::npos;
  });
  list.layers.pop_back();
  for (Layer& layer : list.layers)
    layer.biases = 0;
  auto network = networkCost(list);
  SUMAC_CHECK(network);
  return std::move(*network);
}

}  // namespace

ParallelCase tableCase() {
  const LayerCost first{.name = "first",
                        .input_items = 100,
                        .output_items = 80,
                        .weight_items = 50,
                        .channels = 10,
                        .filters = 8,
                        .positions = 10,
                        .input_halo_items = 20,
                        .output_halo_items = 16,
                        .forward_seconds = 1e-3,
                        .backward_seconds = 2e-3,
                        .update_seconds = 5e-4};
  const LayerCost second{.name = "second",
                         .input_items = 80,
                         .output_items = 10,
                         .weight_items = 800,
                         .channels = 8,
                         .filters = 10,
                         .positions = 10,
                         .forward_seconds = 5e-4,
                         .backward_seconds = 1e-3,
                         .update_seconds = 2e-4};
  ParallelCase question;
  question.network = {.name = "two layers", .layers = {first, second}};
  question.training = {.samples = 1000, .batch_size = 10};
  question.machines.collectives = {{kMostMembers, {1e-5, 1e-9}}};
  question.choices.segments = 5;
  question.choices.stages = {1, 1};
  return question;
}

NetworkCost toolVgg16() {
  auto list = papers::architecture("vgg16-kahira");
  SUMAC_CHECK(list);
  return asToolCounts(std::move(*list));
}

NetworkCost toolResnet50() {
  auto spec = model::fromZoo("resnet50");
  SUMAC_CHECK(spec);
  spec->input = {3, 226, 226};
  for (model::LayerSpec& layer : spec->layers) {
    if (auto* const pool = std::get_if<model::MaxPool>(&layer.kind)) pool->padding = 0;
    auto* const block = std::get_if<model::Residual>(&layer.kind);
    if (block == nullptr) continue;
    // The tool's network has the stride in the first convolution of a block, 1x1, not in the 3x3.
    std::swap(std::get<model::Conv2d>(block->layers.at(0).kind).stride,
              std::get<model::Conv2d>(block->layers.at(3).kind).stride);
  }
  const auto network = model::resolve(*spec);
  SUMAC_CHECK(network);
  return asToolCounts(fromModel(*network, "Kahira et al."));
}

ParallelCase toolCase(const NetworkCost& network, double seconds_per_sample,
                      std::int64_t batch_size) {
  ParallelCase question;
  question.network = withSecondsPerSample(network, seconds_per_sample);
  question.training = {
      .samples = 1'280'000, .batch_size = batch_size, .counting = Iterations::kRoundedUp};
  question.machines = papers::publishedMachines();
  return question;
}

}  // namespace sumac::planner::parallel_test
