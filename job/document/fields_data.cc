#include "job/document/field.h"
#include "job/document/rule_tools.h"

namespace sumac::job::internal {

namespace {

std::vector<Field> generatedFields() {
  return {{.name = "trainSamples",
           .type = Type::kInteger,
           .text = "Images to train on.",
           .minimum = 1,
           .maximum = 100'000'000},
          {.name = "testSamples",
           .type = Type::kInteger,
           .text = "Images to test with.",
           .minimum = 1,
           .maximum = 100'000'000},
          {.name = "shape",
           .type = Type::kList,
           .text = "Extents of an image: channels, rows and columns; or features.",
           .max_length = 3,
           .fields = {{.name = "extent",
                       .type = Type::kInteger,
                       .text = "One extent.",
                       .minimum = 1,
                       .maximum = 65536}}},
          {.name = "classes",
           .type = Type::kInteger,
           .text = "Classes of the images.",
           .minimum = 2,
           .maximum = 256},
          {.name = "trainTokens",
           .type = Type::kInteger,
           .text = "Words of text to train on.",
           .minimum = 2,
           .maximum = 536'870'912},
          {.name = "testTokens",
           .type = Type::kInteger,
           .text = "Words of text to test with.",
           .minimum = 2,
           .maximum = 536'870'912},
          {.name = "vocabulary",
           .type = Type::kInteger,
           .text = "Number of different words, those for line ends and unknown words included.",
           .minimum = 3,
           .maximum = 10'000'000}};
}

Field generatedData() {
  return {.name = "generated",
          .text =
              "Data made by a random generator, the same for every training.seed, to try and to "
              "measure: images of random classes, or text (docs/data.md).",
          .rules = {{"has(self.shape) != has(self.vocabulary)",
                     "exactly one of shape (images) and vocabulary (text) must be given",
                     [](const yaml::Node& self) {
                       return has(self, "shape") != has(self, "vocabulary");
                     }},
                    {"has(self.shape) == has(self.trainSamples) && has(self.shape) == "
                     "has(self.testSamples) && has(self.shape) == has(self.classes)",
                     "shape, trainSamples, testSamples and classes must be given together",
                     [](const yaml::Node& self) {
                       return has(self, "shape") == has(self, "trainSamples") &&
                              has(self, "shape") == has(self, "testSamples") &&
                              has(self, "shape") == has(self, "classes");
                     }},
                    {"has(self.vocabulary) == has(self.trainTokens) && has(self.vocabulary) == "
                     "has(self.testTokens)",
                     "vocabulary, trainTokens and testTokens must be given together",
                     [](const yaml::Node& self) {
                       return has(self, "vocabulary") == has(self, "trainTokens") &&
                              has(self, "vocabulary") == has(self, "testTokens");
                     }}},
          .fields = generatedFields()};
}

}  // namespace

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
                {kNamesFolder,
                 "path is a folder: write ~ out, such as /home/me/data; for data behind a URL, "
                 "mount them or copy them first",
                 namesFolder, "path"},
                {"!has(self.format) || self.format == 'generated' || has(self.path)",
                 "format needs path, the folder with the files",
                 [](const yaml::Node& self) {
                   return !has(self, "format") || textOf(self, "format") == "generated" ||
                          has(self, "path");
                 }},
                {"!has(self.format) || (self.format == 'generated') == has(self.generated)",
                 "format generated and the section generated must be given together",
                 [](const yaml::Node& self) {
                   return !has(self, "format") ||
                          (textOf(self, "format") == "generated") == has(self, "generated");
                 }},
                {"!has(self.generated) || !has(self.path)", "generated data have no path",
                 [](const yaml::Node& self) {
                   return !has(self, "generated") || !has(self, "path");
                 }}},
      .fields = {
          {.name = "name",
           .type = Type::kChoice,
           .text = "A data set that comes with Sumac.",
           .choices = {{"fashion-mnist-mini"}}},
          {.name = "format",
           .type = Type::kChoice,
           .text = "Format of the files at path.",
           .choices = {{"idx"}, {"cifar10"}, {"text"}, {"generated"}}},
          {.name = "path",
           .type = Type::kString,
           .text = "Folder with the files, in the pods and for `sumac run`.",
           .max_length = 1024},
          generatedData(),
          volume(),
      }};
}

}  // namespace sumac::job::internal
