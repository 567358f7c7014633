#include "planner/parallel/parallel_case.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <string_view>

#include "base/core/check.h"

namespace sumac::planner {
namespace {

constexpr std::int64_t kMostSamples = 1'000'000'000'000'000;  // exact in a double
constexpr double kMostBytesPerItem = 16;

LinkCost linkOf(const std::vector<LinkTier>& tiers, std::int64_t members) {
  SUMAC_CHECK(!tiers.empty());
  for (const LinkTier& tier : tiers) {
    if (members <= tier.members) return tier.link;
  }
  return tiers.back().link;
}

/// The first thing that is wrong.
class Complaint {
 public:
  void unless(bool is_right, const std::string& where, double value, std::string_view rule) {
    if (is_right || found_) return;
    std::ostringstream text;
    text << where << " is " << value << "; " << rule;
    found_ = Error{ErrorCode::kInvalid, text.str()};
  }
  void unlessCount(std::int64_t value, std::int64_t most, const std::string& where) {
    unless(value >= 1 && value <= most, where, static_cast<double>(value),
           "give a whole number from 1 to " + std::to_string(most));
  }
  void unlessQuantity(double value, const std::string& where) {
    unless(std::isfinite(value) && value >= 0, where, value, "give a finite number, not below 0");
  }
  Result<void> result() const { return found_ ? Result<void>(*found_) : Result<void>(); }
  bool isFound() const { return found_.has_value(); }

 private:
  std::optional<Error> found_;
};

void checkLayer(const LayerCost& layer, std::size_t index, Complaint& complaint) {
  const std::string where = "layer " + std::to_string(index + 1) + " (" + layer.name + "): ";
  complaint.unlessQuantity(layer.input_items, where + "input items");
  complaint.unlessQuantity(layer.output_items, where + "output items");
  complaint.unlessQuantity(layer.weight_items, where + "weight items");
  complaint.unlessQuantity(layer.input_halo_items, where + "input halo items");
  complaint.unlessQuantity(layer.output_halo_items, where + "output halo items");
  complaint.unlessQuantity(layer.multiply_accumulates, where + "multiply-accumulates");
  complaint.unlessQuantity(layer.forward_seconds, where + "forward seconds");
  complaint.unlessQuantity(layer.backward_seconds, where + "backward seconds");
  complaint.unlessQuantity(layer.update_seconds, where + "update seconds");
  complaint.unlessCount(layer.channels, kMostSamples, where + "channels");
  complaint.unlessCount(layer.filters, kMostSamples, where + "filters");
  complaint.unlessCount(layer.positions, kMostSamples, where + "positions");
}

void checkNetwork(const NetworkCost& network, Complaint& complaint) {
  complaint.unless(!network.layers.empty() && network.layers.size() <= kMostLayers, "layers",
                   static_cast<double>(network.layers.size()),
                   "give at least one, and at most " + std::to_string(kMostLayers));
  for (std::size_t i = 0; i < network.layers.size() && !complaint.isFound(); ++i)
    checkLayer(network.layers[i], i, complaint);
}

void checkTraining(const Training& training, Complaint& complaint) {
  complaint.unlessCount(training.samples, kMostSamples, "samples of the data set");
  complaint.unlessCount(training.batch_size, std::max<std::int64_t>(training.samples, 1),
                        "batch size");
  complaint.unless(training.bytes_per_item > 0 && training.bytes_per_item <= kMostBytesPerItem,
                   "bytes per item", training.bytes_per_item, "give more than 0 and at most 16");
}

void checkTiers(const std::vector<LinkTier>& tiers, const std::string& name, Complaint& complaint) {
  std::int64_t before = 0;
  for (const LinkTier& tier : tiers) {
    complaint.unlessCount(tier.members, kMostMembers, name + ": members");
    complaint.unless(tier.members > before, name + ": members", static_cast<double>(tier.members),
                     "give links by ascending members");
    complaint.unlessQuantity(tier.link.latency_seconds, name + ": latency in seconds");
    complaint.unlessQuantity(tier.link.seconds_per_byte, name + ": seconds per byte");
    before = tier.members;
  }
}

void checkMachines(const Machines& machines, Complaint& complaint) {
  complaint.unless(!machines.collectives.empty(), "links between members", 0,
                   "give at least one, with its latency and seconds per byte");
  checkTiers(machines.collectives, "link of collectives", complaint);
  checkTiers(machines.messages, "link of messages", complaint);
  complaint.unlessCount(machines.members_per_machine, kMostMembers, "members per machine");
  if (machines.memory_bytes)
    complaint.unlessQuantity(*machines.memory_bytes, "memory of a member in bytes");
}

void checkContention(const Contention& contention, Complaint& complaint) {
  const auto check = [&](double factor, const char* phase) {
    complaint.unless(std::isfinite(factor) && factor >= 1,
                     std::string("contention (phi) of the ") + phase, factor,
                     "give a finite factor of at least 1");
  };
  check(contention.gradient_exchange, "gradient exchange");
  check(contention.layer_collectives, "layer collectives");
  check(contention.halo_exchange, "halo exchange");
  check(contention.split_gather, "gather at the split");
  check(contention.stage_transfer, "transfer between stages");
}

void checkChoices(const Choices& choices, std::size_t layers, Complaint& complaint) {
  complaint.unless(choices.memory_reuse > 0 && choices.memory_reuse <= 1, "memory reuse (gamma)",
                   choices.memory_reuse, "give more than 0 and at most 1");
  checkContention(choices.contention, complaint);
  complaint.unlessCount(choices.segments, kMostSamples, "segments of a pipeline");
  if (choices.spatial_layers)
    complaint.unless(*choices.spatial_layers <= layers, "layers divided in space",
                     static_cast<double>(*choices.spatial_layers),
                     "the network has " + std::to_string(layers));
  if (choices.stages.empty()) return;
  std::size_t sum = 0;
  for (const std::size_t stage : choices.stages) {
    complaint.unless(stage >= 1 && stage <= layers, "layers of a stage", static_cast<double>(stage),
                     "give 1 to " + std::to_string(layers));
    sum += std::min(stage, layers + 1);
  }
  complaint.unless(sum == layers, "layers of all stages", static_cast<double>(sum),
                   "the network has " + std::to_string(layers));
}

}  // namespace

double Training::iterations() const {
  const double exact = static_cast<double>(samples) / static_cast<double>(batch_size);
  return counting == Iterations::kRoundedUp ? std::ceil(exact) : exact;
}

LinkCost Machines::collectiveLink(std::int64_t members) const {
  return linkOf(collectives, members);
}

LinkCost Machines::messageLink(std::int64_t members) const {
  return linkOf(messages.empty() ? collectives : messages, members);
}

std::size_t ParallelCase::spatialLayers() const {
  if (choices.spatial_layers) return *choices.spatial_layers;
  const auto dense = std::ranges::find(network.layers, LayerKind::kDense, &LayerCost::kind);
  return static_cast<std::size_t>(dense - network.layers.begin());
}

Result<void> check(const ParallelCase& question) {
  Complaint complaint;
  checkNetwork(question.network, complaint);
  checkTraining(question.training, complaint);
  checkMachines(question.machines, complaint);
  checkChoices(question.choices, question.network.layers.size(), complaint);
  return complaint.result();
}

}  // namespace sumac::planner
