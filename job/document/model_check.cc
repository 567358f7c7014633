#include "job/document/model_check.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string>
#include <utility>

#include "job/document/data_limits.h"
#include "job/document/edit.h"
#include "job/document/nearest.h"
#include "job/document/rule_tools.h"
#include "job/model/parse.h"

namespace sumac::job {

namespace {

// If neither document nor zoo give a vocabulary: the maximum of a vocabulary from a file.
constexpr int kUnknownVocabulary = 10'000;

/// Removes the "line:column: " at the beginning of the model's messages.
yaml::Position takePosition(std::string& message, yaml::Position otherwise) {
  yaml::Position position;
  int used = 0;
  if (std::sscanf(message.c_str(), "%d:%d: %n", &position.line, &position.column, &used) < 2 ||
      used == 0) {
    return otherwise;
  }
  message.erase(0, static_cast<std::size_t>(used));
  return position;
}

model::Shape shapeIn(const yaml::Node& list) {
  model::Shape shape;
  for (const yaml::Node& extent : list.items)
    shape.push_back(yaml::integerOf(extent).value_or(0));
  return shape;
}

/// What the document says about its data: images, of a shape if it is known, or text.
struct KnownData {
  bool is_text = false;
  model::Shape shape = {};
  std::int64_t classes = 0;
  std::optional<std::int64_t> samples = {};  // images, or words of text, to train on
};

/// Without those that are held back for validation.
std::int64_t trainingSamples(const yaml::Node& data, std::int64_t samples) {
  const std::string_view share = textOf(data, "validation");
  double value = 0;
  std::from_chars(share.data(), share.data() + share.size(), value);
  return samples - validationSamples(samples, value);
}

KnownData knownData(const yaml::Node& data) {
  const std::string_view format = textOf(data, "format");
  if (format == "text") return {.is_text = true};
  if (format == "cifar10") return {.shape = {3, 32, 32}, .classes = 10};
  if (format == "cifar100") return {.shape = {3, 32, 32}, .classes = 100};
  if (textOf(data, "name") == "fashion-mnist-mini") {
    return {.shape = {1, 28, 28}, .classes = 10, .samples = trainingSamples(data, 800)};
  }
  const yaml::Node* const generated = data.find("generated");
  if (format != "generated" || generated == nullptr) return {};
  const yaml::Node* const shape = generated->find("shape");
  if (shape == nullptr) return {.is_text = true, .samples = integerIn(*generated, "trainTokens")};
  return {.shape = shapeIn(*shape),
          .classes = integerIn(*generated, "classes").value_or(0),
          .samples = trainingSamples(data, integerIn(*generated, "trainSamples").value_or(0))};
}

/// Compares the parts of one document with its network.
class ModelCheck {
 public:
  ModelCheck(const yaml::Node& root, std::string_view file, std::vector<Problem>& problems)
      : root_(root), file_(file), problems_(problems) {}

  std::optional<model::NetworkSpec> run() {
    const yaml::Node* const name = nodeAt(root_, "spec.model.name");
    auto spec = name != nullptr ? fromZoo(*name) : fromLayers();
    if (!spec) return std::nullopt;
    if (const auto network = shapes(*spec)) {
      learns(*network);
      textOnly(spec->isText());
      data(*network);
    }
    if (name != nullptr) return std::nullopt;
    return spec;
  }

 private:
  void report(yaml::Position at, const char* path, std::string message) {
    problems_.push_back({std::string(file_), at.line, at.column, path, std::move(message)});
  }
  void report(const char* path, std::string message) {
    report(nodeAt(root_, path)->position, path, std::move(message));
  }

  std::optional<model::NetworkSpec> fromZoo(const yaml::Node& name) {
    auto spec = model::fromZoo(name.text, small("spec.model.classes"));
    if (spec) return std::move(*spec);
    if (spec.error().code == ErrorCode::kInvalid) {
      report("spec.model.classes", spec.error().message);
      return std::nullopt;
    }
    report("spec.model.name", spec.error().message + suggestion(name.text, model::zooNames()));
    return std::nullopt;
  }

  std::optional<model::NetworkSpec> fromLayers() {
    const yaml::Node* const layers = nodeAt(root_, "spec.model.layers");
    const yaml::Node* const input = nodeAt(root_, "spec.model.input");
    if (layers == nullptr || input == nullptr) return std::nullopt;
    auto spec = model::parseLayers(*layers, shapeIn(*input));
    if (spec) return std::move(*spec);
    reportLayers(spec.error().message);
    return std::nullopt;
  }

  void reportLayers(std::string message) {
    const yaml::Node* const layers = nodeAt(root_, "spec.model.layers");
    if (layers == nullptr) return report("spec.model.name", std::move(message));
    const yaml::Position at = takePosition(message, layers->position);
    report(at, "spec.model.layers", std::move(message));
  }

  std::optional<model::Network> shapes(const model::NetworkSpec& spec) {
    model::TextExtents text;
    text.vocabulary = small("spec.model.vocabulary");
    if (text.vocabulary == 0) text.vocabulary = small("spec.data.generated.vocabulary");
    if (text.vocabulary == 0 && spec.vocabulary == 0) text.vocabulary = kUnknownVocabulary;
    text.unroll = small("spec.training.unroll");
    auto network = model::resolve(spec, text);
    if (network) return std::move(*network);
    reportLayers(network.error().message);
    return std::nullopt;
  }

  /// An integer of the document within its bounds; else 0.
  int small(const char* path) const {
    const yaml::Node* const node = nodeAt(root_, path);
    const auto value = node == nullptr ? std::nullopt : yaml::integerOf(*node);
    constexpr std::int64_t kMost = 10'000'000;
    return value && *value > 0 && *value <= kMost ? static_cast<int>(*value) : 0;
  }

  void learns(const model::Network& network) {
    if (network.parameters == 0) reportLayers("no layer has parameters to train");
  }

  /// Reports fields that are for text only.
  void textOnly(bool is_text) {
    if (is_text) return;
    constexpr const char* kNot = "only used with a text model, which begins with an embedding";
    for (const char* path : {"spec.model.vocabulary", "spec.training.unroll"}) {
      if (nodeAt(root_, path) != nullptr) report(path, kNot);
    }
    constexpr const char* kReduction = "spec.training.loss.reduction";
    const yaml::Node* const reduction = nodeAt(root_, kReduction);
    if (reduction == nullptr || reduction->text != "sumOverTime") return;
    report(kReduction, "sumOverTime is " + std::string(kNot));
  }

  void data(const model::Network& network) {
    const yaml::Node* const section = nodeAt(root_, "spec.data");
    const bool is_sound =
        section != nullptr &&
        std::none_of(problems_.begin(), problems_.end(),
                     [](const Problem& problem) { return problem.path.starts_with("spec.data"); });
    if (!is_sound) return;
    const KnownData known = knownData(*section);
    if (network.isText() != known.is_text) {
      report("spec.data", calledByUsers(network) + " takes " +
                              (network.isText() ? "text" : "images") + ", but these data are " +
                              (known.is_text ? "text" : "images"));
    } else if (known.is_text) {
      words(network);
      size(*section, known, network);
    } else if (!known.shape.empty() && known.shape != network.input) {
      report("spec.data", calledByUsers(network) + " takes samples of the shape " +
                              model::toString(network.input) + ", but those of these data are " +
                              model::toString(known.shape));
    } else if (const auto fits = checkClasses(network, known.classes); !fits) {
      report("spec.data", fits.error().message);
    } else {
      augmentation(network);
      size(*section, known, network);
    }
  }

  /// Only images can be augmented, and a cut must show some of the image.
  void augmentation(const model::Network& network) {
    constexpr std::size_t kRankOfImages = 3;
    if (nodeAt(root_, "spec.data.augment") == nullptr) return;
    if (network.input.size() != kRankOfImages) {
      return report("spec.data.augment",
                    "only images are augmented, but " + calledByUsers(network) +
                        " takes samples of the shape " + model::toString(network.input));
    }
    const std::int64_t side = std::min(network.input[1], network.input[2]);
    if (const int crop = small("spec.data.augment.crop"); crop >= side) {
      report("spec.data.augment.crop", "found " + std::to_string(crop) + ", must be below " +
                                           std::to_string(side) + ", the image's shorter side");
    }
  }

  /// Not too much to generate, and enough for one step.
  void size(const yaml::Node& section, const KnownData& known, const model::Network& network) {
    const yaml::Node* const generated = section.find("generated");
    if (generated != nullptr && !known.is_text) {
      for (const char* const split : {"trainSamples", "testSamples"}) {
        const auto fits = checkGenerated(integerIn(*generated, split).value_or(0), known.shape,
                                         static_cast<int>(known.classes));
        if (!fits) {
          const std::string path = std::string("spec.data.generated.") + split;
          return report(path.c_str(), fits.error().message);
        }
      }
    }
    constexpr const char* kBatchSize = "spec.training.batchSize";
    const int batch_size = small(kBatchSize);
    if (!known.samples || batch_size == 0) return;
    const auto enough = known.is_text
                            ? checkWords(batch_size, network.input.front(), *known.samples)
                            : checkSamples(batch_size, *known.samples);
    if (!enough) report(kBatchSize, enough.error().message);
  }

  /// A file's words beyond the vocabulary become <unk>; generated ones have none.
  void words(const model::Network& network) {
    const int generated = small("spec.data.generated.vocabulary");
    if (network.vocabulary() >= generated) return;
    report("spec.model.vocabulary", "found " + std::to_string(network.vocabulary()) +
                                        ", must be >= spec.data.generated.vocabulary (" +
                                        std::to_string(generated) + ")");
  }

  const yaml::Node& root_;  // outlives us
  std::string_view file_;
  std::vector<Problem>& problems_;  // outlives us
};

}  // namespace

std::optional<model::NetworkSpec> checkModel(const yaml::Node& root, std::string_view file,
                                             std::vector<Problem>& problems) {
  return ModelCheck(root, file, problems).run();
}

std::optional<std::int64_t> knownImages(const yaml::Node& root) {
  const yaml::Node* const data = nodeAt(root, "spec.data");
  if (data == nullptr) return std::nullopt;
  const KnownData known = knownData(*data);
  return known.is_text ? std::nullopt : known.samples;
}

std::optional<std::int64_t> knownClasses(const yaml::Node& root) {
  const yaml::Node* const data = nodeAt(root, "spec.data");
  const std::int64_t classes = data == nullptr ? 0 : knownData(*data).classes;
  return classes == 0 ? std::nullopt : std::optional(classes);
}

}  // namespace sumac::job
