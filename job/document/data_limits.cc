#include "job/document/data_limits.h"

#include <algorithm>
#include <string>
#include <variant>

#include "base/core/text.h"

namespace sumac::job {

namespace {

bool isOfZoo(const model::Network& network) {
  return std::ranges::count(model::zooNames(), network.name) > 0;
}

/// How to make a network tell so many classes apart.
std::string adviceFor(const model::Network& network, std::int64_t classes) {
  const std::string number = std::to_string(classes);
  if (isOfZoo(network)) return "set spec.model.classes: " + number;
  const auto has_outputs = [](const model::Layer& layer) {
    return std::holds_alternative<model::Dense>(layer.spec.kind) ||
           std::holds_alternative<model::Conv2d>(layer.spec.kind);
  };
  const auto last = std::find_if(network.layers.rbegin(), network.layers.rend(), has_outputs);
  const std::string layer = last == network.layers.rend()
                                ? "the last layer before softmaxCrossEntropy"
                                : "its layer " + last->spec.name;
  return "set outputs of " + layer + " to " + number;
}

}  // namespace

std::string calledByUsers(const model::Network& network) {
  return isOfZoo(network) ? "the model " + network.name : "the network of spec.model";
}

Result<void> checkClasses(const model::Network& network, std::int64_t classes) {
  if (classes <= network.classes) return {};
  return Error{ErrorCode::kInvalid, "these data have " + std::to_string(classes) +
                                        " classes, but " + calledByUsers(network) + " has only " +
                                        std::to_string(network.classes) + ": " +
                                        adviceFor(network, classes)};
}

std::string idleOutputs(const model::Network& network, std::int64_t classes) {
  if (classes >= network.classes) return {};
  return calledByUsers(network) + " tells " + std::to_string(network.classes) + " classes" +
         " apart, but these data have " + std::to_string(classes) +
         ": the other outputs learn nothing. Better: " + adviceFor(network, classes);
}

std::int64_t validationSamples(std::int64_t samples, double share) {
  if (share == 0) return 0;
  const auto wanted = static_cast<std::int64_t>(share * static_cast<double>(samples));
  return std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(samples - 1, 1));
}

Result<void> checkGenerated(std::int64_t images, const model::Shape& shape, int classes) {
  const std::int64_t most = kMaxGenerated / model::count(shape);
  if (std::max<std::int64_t>(images, classes) <= most) return {};
  return Error{ErrorCode::kInvalid, "found " + std::to_string(images) + " images of " +
                                        model::toString(shape) + " in " + std::to_string(classes) +
                                        " classes, at most " + std::to_string(most) +
                                        " images and classes fit into 2 GiB"};
}

Result<void> checkSamples(std::int64_t batch_size, std::int64_t samples) {
  if (batch_size <= samples) return {};
  return Error{ErrorCode::kInvalid, "found " + std::to_string(batch_size) +
                                        ", but the data has only " + std::to_string(samples) +
                                        " training samples"};
}

Result<void> checkWords(std::int64_t batch_size, std::int64_t unroll, std::int64_t words) {
  if (words / batch_size > unroll) return {};
  return Error{
      ErrorCode::kInvalid,
      "found " + std::to_string(batch_size) + " and unroll " + std::to_string(unroll) +
          ": a step needs batchSize x (unroll + 1) = " + std::to_string(batch_size * (unroll + 1)) +
          " words, but the training text has only " + std::to_string(words) +
          ", line ends included"};
}

}  // namespace sumac::job
