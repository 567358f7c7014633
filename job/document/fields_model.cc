#include <utility>

#include "job/document/field.h"
#include "job/document/rule_tools.h"

namespace sumac::job::internal {

namespace {

// Estimated by the API server for every rule inside lists: items of the outer times of the inner.
constexpr int kMaxLayers = 256;
constexpr int kMaxInnerLayers = 32;

OnlyWith onlyFor(std::vector<std::string> types) {
  return {"type", std::move(types)};
}

Field layerNumber(const char* name, const char* text, std::int64_t minimum, std::int64_t maximum,
                  std::vector<std::string> types) {
  return {.name = name,
          .type = Type::kInteger,
          .text = text,
          .minimum = minimum,
          .maximum = maximum,
          .only_with = onlyFor(std::move(types))};
}

Field layerDecimal(const char* name, const char* text, DecimalRange range, const char* type) {
  return {.name = name,
          .type = Type::kDecimal,
          .text = text,
          .range = std::move(range),
          .only_with = onlyFor({type})};
}

Field layerSwitch(const char* name, const char* text, std::vector<std::string> types) {
  return {
      .name = name, .type = Type::kBoolean, .text = text, .only_with = onlyFor(std::move(types))};
}

/// Name, type and the keys of the types, except for types allowed only outside a residual.
Field innerLayer() {
  return {
      .name = "layer",
      .text = "One layer; its input is the output of the layer before it.",
      .fields = {
          {.name = "type",
           .type = Type::kChoice,
           .text = "What the layer computes.",
           .required = true,
           .choices = {{"conv2d"},
                       {"maxPool"},
                       {"averagePool"},
                       {"globalAveragePool"},
                       {"relu"},
                       {"tanh"},
                       {"sigmoid"},
                       {"flatten"},
                       {"dense"},
                       {"dropout"},
                       {"batchNorm"},
                       {"lstm"}}},
          {.name = "name",
           .type = Type::kString,
           .text = "Name of the layer in messages and model files.",
           .max_length = 63},
          layerNumber("outputs",
                      "Output channels of conv2d, output features of the others; of dense in text "
                      "networks the vocabulary by default.",
                      1, 1'000'000, {"conv2d", "dense", "lstm"}),
          layerNumber("kernel", "Rows and columns of the kernel or of the pooling window.", 1, 1024,
                      {"conv2d", "maxPool", "averagePool"}),
          layerNumber("stride",
                      "Distance between two windows; 1 for conv2d, the kernel's size for pools by "
                      "default.",
                      1, 1024, {"conv2d", "maxPool", "averagePool"}),
          layerNumber("padding",
                      "Rows and columns of zeros around the image; 0 by default. Of pools at most "
                      "half of the kernel.",
                      0, 1023, {"conv2d", "maxPool", "averagePool"}),
          layerNumber("groups", "Independent groups of inputs and outputs; 1 by default.", 1,
                      1'000'000, {"conv2d"}),
          layerSwitch("bias", "Whether each output has a bias; true by default.",
                      {"conv2d", "dense"}),
          layerSwitch("ceil", "Whether a last window may reach beyond the image; false by default.",
                      {"maxPool", "averagePool"}),
          layerDecimal("rate", "Fraction of the values set to zero; 0.5 by default.",
                       {.at_least = "0", .below = "1"}, "dropout"),
          layerDecimal("epsilon", "Added to the variance; 1e-5 by default.", {.above = "0"},
                       "batchNorm"),
          layerDecimal("momentum",
                       "Weight of a new step in the running statistics, at most 1; 0.1 by default.",
                       {.above = "0"}, "batchNorm"),
          layerNumber("depth", "Stacked layers; 1 by default.", 1, 64, {"lstm"}),
      }};
}

/// A residual's lists are one level below: a Kubernetes schema cannot contain itself.
Field layer() {
  Field field = innerLayer();
  auto& type = field.fields[0];
  for (const char* name : {"residual", "embedding", "softmaxCrossEntropy"})
    type.choices.push_back({name});
  for (Field& child : field.fields) {
    if (child.name == "outputs") child.only_with->values.emplace_back("embedding");
  }
  field.fields.push_back({.name = "layers",
                          .type = Type::kList,
                          .text = "Layers of a residual, which gives their output plus its "
                                  "shortcut's.",
                          .max_length = kMaxInnerLayers,
                          .only_with = onlyFor({"residual"}),
                          .fields = {innerLayer()}});
  field.fields.push_back({.name = "shortcut",
                          .type = Type::kList,
                          .text = "Layers of a residual's shortcut; none by default: its input "
                                  "itself is added.",
                          .max_length = kMaxInnerLayers,
                          .only_with = onlyFor({"residual"}),
                          .fields = {innerLayer()}});
  return field;
}

}  // namespace

Field modelSection() {
  return {
      .name = "model",
      .text = "The network: a name of the zoo, or input and layers.",
      .change = Change::kNever,
      .rules = {{"has(self.name) != has(self.layers)",
                 "exactly one of name and layers must be given",
                 [](const yaml::Node& self) { return has(self, "name") != has(self, "layers"); }},
                {"!has(self.classes) || has(self.name)",
                 "classes is for networks of the zoo; the outputs of the last layer are those of "
                 "your own",
                 [](const yaml::Node& self) { return !has(self, "classes") || has(self, "name"); },
                 "classes"},
                {"has(self.input) == has(self.layers)", "input and layers must be given together",
                 [](const yaml::Node& self) { return has(self, "input") == has(self, "layers"); }}},
      .fields = {
          {.name = "name",
           .type = Type::kString,
           .text = "A network of the zoo; `sumac models` lists them.",
           .max_length = 63},
          {.name = "input",
           .type = Type::kList,
           .text = "Extents of one sample: channels, rows and columns of an image; time steps of a "
                   "text.",
           .max_length = 4,
           .fields = {{.name = "extent",
                       .type = Type::kInteger,
                       .text = "One extent.",
                       .minimum = 1,
                       .maximum = 65536}}},
          {.name = "layers",
           .type = Type::kList,
           .text = "The network's own layers, first to last; the last is softmaxCrossEntropy.",
           .max_length = kMaxLayers,
           .fields = {layer()}},
          {.name = "vocabulary",
           .type = Type::kInteger,
           .text = "Words that the network knows, text only; the data's by default.",
           .minimum = 2,
           .maximum = 10'000'000},
          {.name = "classes",
           .type = Type::kInteger,
           .text = "Classes that the network of the zoo tells apart, as many as the data have; by "
                   "default its own, see `sumac models`.",
           .minimum = 2,
           .maximum = 65536},
      }};
}

}  // namespace sumac::job::internal
