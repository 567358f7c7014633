#include <algorithm>
#include <iterator>

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

/// Whether the data are text. In CEL: kIsText.
bool isText(const yaml::Node& self) {
  const yaml::Node* const generated = self.find("generated");
  return textOf(self, "format") == "text" ||
         (generated != nullptr && has(*generated, "vocabulary"));
}
constexpr const char* kIsText =
    "(has(self.format) && self.format == 'text' || "
    "has(self.generated) && has(self.generated.vocabulary))";

/// The rule that text has no field `name`.
Rule notForText(const std::string& name, const std::string& message,
                bool (*holds)(const yaml::Node& self)) {
  return {.cel = "!has(self." + name + ") || !" + kIsText,
          .message = message,
          .holds = holds,
          .about = name};
}

std::vector<Rule> rulesOfSamples() {
  return {
      notForText("validation", "text has a validation split of its own: a file valid.txt",
                 [](const yaml::Node& self) { return !has(self, "validation") || !isText(self); }),
      notForText("normalize", "words are not normalized",
                 [](const yaml::Node& self) { return !has(self, "normalize") || !isText(self); }),
      notForText("augment", "text is not augmented: only images are",
                 [](const yaml::Node& self) { return !has(self, "augment") || !isText(self); }),
      {.cel = "!has(self.augment) || !has(self.format) || self.format != 'csv'",
       .message = "rows of a table are not augmented: only images are",
       .holds =
           [](const yaml::Node& self) {
             return !has(self, "augment") || textOf(self, "format") != "csv";
           },
       .about = "augment"},
      {.cel = "!has(self.resize) || size(self.resize) == 2",
       .message = "resize is a height and a width: [96, 96]",
       .holds =
           [](const yaml::Node& self) {
             constexpr std::size_t kHeightAndWidth = 2;
             const yaml::Node* const resize = self.find("resize");
             return resize == nullptr || resize->kind != yaml::Kind::kList ||
                    resize->items.size() == kHeightAndWidth;
           },
       .about = "resize"},
      {.cel = "!has(self.channels) || self.channels != 2",
       .message = "channels must be 1 (gray) or 3 (red, green and blue)",
       .holds =
           [](const yaml::Node& self) {
             constexpr std::int64_t kWithAlpha = 2;
             return integerIn(self, "channels") != kWithAlpha;
           },
       .about = "channels"}};
}

Field augmentation() {
  return {
      .name = "augment",
      .text =
          "How each training image is changed at random before the network sees it, anew "
          "in every epoch. The seed, the epoch and the image alone decide how.",
      .fields = {{.name = "flip",
                  .type = Type::kBoolean,
                  .text = "Whether half of the images are mirrored, left to right; false by "
                          "default."},
                 {.name = "crop",
                  .type = Type::kInteger,
                  .text = "Pixels of black added on each side, before a part of the image's own "
                          "size is cut out at a random place.",
                  .minimum = 1,
                  .maximum = 255},
                 {.name = "rotate",
                  .type = Type::kInteger,
                  .text = "Degrees by which an image is turned at most, either way.",
                  .minimum = 1,
                  .maximum = 180}}};
}

std::vector<Field> fieldsOfSamples() {
  return {
      {.name = "resize",
       .type = Type::kList,
       .text = "Height and width of the images, in pixels: the shorter side is scaled, and the "
               "centre cut out. Without it all must be of one size.",
       .max_length = 2,
       .only_with = OnlyWith{"format", {"folder"}},
       .fields = {{.name = "extent",
                   .type = Type::kInteger,
                   .text = "Height or width.",
                   .minimum = 1,
                   .maximum = 4096}}},
      {.name = "channels",
       .type = Type::kInteger,
       .text = "1 makes all images gray, 3 gives all three colours. Without it all must have "
               "as many.",
       .minimum = 1,
       .maximum = 3,
       .only_with = OnlyWith{"format", {"folder"}}},
      {.name = "label",
       .type = Type::kString,
       .text = "Column with the class.",
       .max_length = 1024,
       .resolver_default = "label",
       .only_with = OnlyWith{"format", {"csv"}}},
      {.name = "validation",
       .type = Type::kDecimal,
       .text = "Share of the training samples that is held back to watch the training on; the "
               "seed selects them. The test set is then measured once, at the end.",
       .range = {.above = "0", .below = "1"}},
      {.name = "normalize",
       .type = Type::kChoice,
       .text = "meanStd subtracts the mean of the training samples from each value, and divides "
               "it by their standard deviation: of each channel of images, of each column of "
               "csv. By default meanStd for csv, else none.",
       .choices = {{"meanStd"}, {"none"}}},
      augmentation()};
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
  Field section = {
      .name = "data",
      .text = "What to train on: a data set that comes with Sumac, or files of a format.",
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
           .choices = {{"idx"},
                       {"cifar10"},
                       {"cifar100"},
                       {"folder"},
                       {"csv"},
                       {"npy"},
                       {"packed"},
                       {"text"},
                       {"generated"}}},
          {.name = "path",
           .type = Type::kString,
           .text =
               "Folder with the files, in the pods and for `sumac run`; for packed the file, or "
               "the folder with it.",
           .max_length = 1024},
          generatedData(),
          volume(),
      }};
  std::ranges::move(rulesOfSamples(), std::back_inserter(section.rules));
  std::ranges::move(fieldsOfSamples(), std::back_inserter(section.fields));
  return section;
}

}  // namespace sumac::job::internal
