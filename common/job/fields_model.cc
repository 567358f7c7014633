#include "common/job/field.h"
#include "common/job/rule_tools.h"

namespace sumac::job::internal {

namespace {

Field layer() {
  return {.name = "layer",
          .text = "One layer; it takes what the layer before it gives.",
          .fields = {
              {.name = "type",
               .type = Type::kChoice,
               .text = "What the layer computes.",
               .required = true,
               .choices = {{"conv2d"},
                           {"maxPool"},
                           {"relu"},
                           {"flatten"},
                           {"dense"},
                           {"softmaxCrossEntropy"}}},
              {.name = "name",
               .type = Type::kString,
               .text = "Name of the layer in messages and model files.",
               .max_length = 63},
              {.name = "outputs",
               .type = Type::kInteger,
               .text = "Output channels of conv2d, output features of dense.",
               .minimum = 1,
               .maximum = 1'000'000,
               .only_with = OnlyWith{"type", {"conv2d", "dense"}}},
              {.name = "kernel",
               .type = Type::kInteger,
               .text = "Rows and columns of the kernel or of the pooling window.",
               .minimum = 1,
               .maximum = 1024,
               .only_with = OnlyWith{"type", {"conv2d", "maxPool"}}},
              {.name = "stride",
               .type = Type::kInteger,
               .text = "Distance between two windows; 1 for conv2d, the kernel's size for maxPool "
                       "by default.",
               .minimum = 1,
               .maximum = 1024,
               .only_with = OnlyWith{"type", {"conv2d", "maxPool"}}},
              {.name = "padding",
               .type = Type::kInteger,
               .text = "Rows and columns of zeros around the image; 0 by default.",
               .minimum = 0,
               .maximum = 1023,
               .only_with = OnlyWith{"type", {"conv2d"}}},
          }};
}

}  // namespace

Field modelSection() {
  return {
      .name = "model",
      .text = "The network: a name of the zoo, or input and layers.",
      .required = true,
      .change = Change::kNever,
      .rules = {{"has(self.name) != has(self.layers)",
                 "exactly one of name and layers must be given",
                 [](const yaml::Node& self) { return has(self, "name") != has(self, "layers"); }},
                {"has(self.input) == has(self.layers)", "input and layers must be given together",
                 [](const yaml::Node& self) { return has(self, "input") == has(self, "layers"); }}},
      .fields = {
          {.name = "name",
           .type = Type::kString,
           .text = "A network of the zoo; `sumac models` lists them.",
           .max_length = 63},
          {.name = "input",
           .type = Type::kList,
           .text = "Extents of one sample: channels, rows and columns of an image.",
           .max_length = 4,
           .fields = {{.name = "extent",
                       .type = Type::kInteger,
                       .text = "One extent.",
                       .minimum = 1,
                       .maximum = 65536}}},
          {.name = "layers",
           .type = Type::kList,
           .text = "The network's own layers, first to last; the last is softmaxCrossEntropy.",
           .max_length = 256,
           .fields = {layer()}},
          {.name = "vocabulary",
           .type = Type::kInteger,
           .text = "Words that the network knows, text only; the data's by default.",
           .available = false,
           .minimum = 2,
           .maximum = 10'000'000},
      }};
}

Field dataSection() {
  return {
      .name = "data",
      .text = "What to train on: a data set that comes with Sumac, or files of a format.",
      .required = true,
      .change = Change::kNever,
      .rules = {{"has(self.name) != has(self.format)",
                 "exactly one of name and format must be given",
                 [](const yaml::Node& self) { return has(self, "name") != has(self, "format"); }},
                {"!has(self.name) || !has(self.path)", "path is given with format, not with name",
                 [](const yaml::Node& self) { return !has(self, "name") || !has(self, "path"); }},
                {"!has(self.format) || self.format == 'generated' || has(self.path)",
                 "format needs path, the folder with the files",
                 [](const yaml::Node& self) {
                   return !has(self, "format") || textOf(self, "format") == "generated" ||
                          has(self, "path");
                 }}},
      .fields = {
          {.name = "name",
           .type = Type::kChoice,
           .text = "A data set that comes with Sumac.",
           .choices = {{"fashion-mnist-mini"}}},
          {.name = "format",
           .type = Type::kChoice,
           .text = "Format of the files at path.",
           .choices = {{"idx"}, {"cifar10", false}, {"text", false}, {"generated", false}}},
          {.name = "path",
           .type = Type::kString,
           .text = "Folder with the files, in the pods and for `sumac run`.",
           .max_length = 1024},
          volume(),
      }};
}

}  // namespace sumac::job::internal
