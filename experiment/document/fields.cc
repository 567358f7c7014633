#include "experiment/document/fields.h"

#include "base/yaml/scalar.h"
#include "job/document/table_document.h"

#include "experiment/document/conditions.h"
#include "experiment/document/event_script.h"
#include "experiment/document/scale_script.h"
#include "experiment/document/sizing.h"

namespace sumac::experiment {
namespace {

using job::Field;
using job::Type;

constexpr int kMostAxes = 16;
constexpr int kMostValues = 1'000;
constexpr int kMostSteps = 1'000'000;
constexpr int kMostRepetitions = 1'000;

bool has(const yaml::Node& self, std::string_view name) {
  return self.find(name) != nullptr;
}

std::int64_t integer(const yaml::Node& self, std::string_view name, std::int64_t otherwise) {
  const yaml::Node* const node = self.find(name);
  return node == nullptr ? otherwise : yaml::integerOf(*node).value_or(otherwise);
}

/// Of any kind: the job that it is set in checks it.
Field anyValue() {
  return {.name = "value", .type = Type::kAny, .text = "A value.", .ignored = true};
}

Field variants() {
  return {.name = "variants",
          .type = Type::kList,
          .text = "Values of the axis that set several fields, each under a name.",
          .max_length = kMostValues,
          .fields = {{.name = "variant",
                      .text = "One value of the axis.",
                      .fields = {{.name = "name",
                                  .type = Type::kString,
                                  .text = "What tables call it.",
                                  .required = true},
                                 {.name = "set",
                                  .type = Type::kAny,
                                  .text = "Path of a field of the job, such as "
                                          "strategy.topology, or of the experiment, such as "
                                          "link.rate, to its value; null removes it.",
                                  .required = true}}}}};
}

Field axes() {
  return {
      .name = "axes",
      .type = Type::kList,
      .text = "What is varied. Every combination of their values is a cell.",
      .max_length = kMostAxes,
      .fields = {{.name = "axis",
                  .text = "One thing that is varied: a field with its values, or a name with "
                          "variants.",
                  .rules = {{"", "either field and values, or name and variants are needed",
                             [](const yaml::Node& self) {
                               const bool is_field = has(self, "field") && has(self, "values");
                               const bool is_named = has(self, "name") && has(self, "variants");
                               return is_field != is_named && has(self, "field") == is_field &&
                                      has(self, "values") == is_field &&
                                      has(self, "variants") == is_named;
                             }}},
                  .fields = {{.name = "name",
                              .type = Type::kString,
                              .text = "What tables call the axis; of a field, its path by default.",
                              .max_length = 50},
                             {.name = "field",
                              .type = Type::kString,
                              .text = "A field of the job, such as worker.replicas, or one of "
                                      "the experiment: link.rate, compute, slowdown, autoscaling, "
                                      "batchSizePerWorker."},
                             {.name = "values",
                              .type = Type::kList,
                              .text = "The values of the field; null removes it.",
                              .max_length = kMostValues,
                              .fields = {anyValue()}},
                             variants()}}}};
}

Field stop() {
  return {.name = "stop",
          .text =
              "Repeats a cell until its mean is known well enough. Without it every cell has "
              "`repetitions`.",
          .fields = {{.name = "halfWidth",
                      .type = Type::kDecimal,
                      .text = "Half the width of the 95 % interval of the metric's mean "
                              "(Student's t over repetitions), as a share of the mean: \"0.05\" "
                              "is 5 %.",
                      .required = true,
                      .range = {.above = "0", .below = "1"}},
                     {.name = "maxRepetitions",
                      .type = Type::kInteger,
                      .text = "Where a cell stops if its mean does not get there.",
                      .minimum = 2,
                      .maximum = kMostRepetitions,
                      .schema_default = "10"}}};
}

Field measure() {
  return {
      .name = "measure",
      .text = "What cells are compared by.",
      .fields = {
          {.name = "metric",
           .type = Type::kChoice,
           .text = "samplesPerSecond: how fast they train. validationAccuracy of images, tables "
                   "and arrays, and validationPerplexity of text: what they have learned after "
                   "the last step. With these two each repetition trains with a seed of its "
                   "own, training.seed + repetition - 1, since the same seed gives the same "
                   "bits. The test values stand beside them and choose nothing.",
           .choices = {{"samplesPerSecond"}, {"validationAccuracy"}, {"validationPerplexity"}},
           .schema_default = "samplesPerSecond"}}};
}

std::vector<Field> measurement() {
  return {{.name = "batchSizePerWorker",
           .type = Type::kInteger,
           .text = "Fixes each worker's batch: training.batchSize is this times worker.replicas, "
                   "in every cell. As Jaeger et al. 2018 measure.",
           .minimum = 1,
           .maximum = 1'000'000},
          {.name = "steps",
           .type = Type::kInteger,
           .text = "Steps of a run that are measured. Up to 400 with the warm-up, each step's "
                   "time is known.",
           .minimum = 2,
           .maximum = kMostSteps,
           .schema_default = "100"},
          {.name = "warmupSteps",
           .type = Type::kInteger,
           .text = "Steps before them, which do not count: caches and connections warm up.",
           .minimum = 1,
           .maximum = kMostSteps,
           .schema_default = "20"},
          {.name = "repetitions",
           .type = Type::kInteger,
           .text = "Runs of each cell; with `stop` the least.",
           .minimum = 1,
           .maximum = kMostRepetitions,
           .schema_default = "3"},
          measure(),
          stop(),
          {.name = "seed",
           .type = Type::kInteger,
           .text = "Of the order of the runs. It is shuffled, so that a busy minute of the "
                   "machine falls on all cells.",
           .minimum = 0,
           .schema_default = "1"}};
}

Field link() {
  return {
      .name = "link",
      .text =
          "What each member of the job is connected by; without it by this machine's loopback. "
          "Needs root, and Linux with network namespaces and tbf.",
      .rules = {{"", "delays cannot be set: they need netem, which not every kernel has; rate can",
                 [](const yaml::Node& self) { return !has(self, "delay"); }, "delay"}},
      .fields = {
          {.name = "rate",
           .type = Type::kString,
           .text = "Bits a second, each way, of every member's link: \"100Mbit\", "
                   "\"1Gbit\" at most.",
           .required = true,
           .pattern = {"^[0-9]{1,6}(Mbit|Gbit)$", isRate, "100Mbit", "a rate in Mbit or Gbit"}},
          {.name = "delay",
           .type = Type::kString,
           .text = "Refused: delays need netem, which not every kernel has."}}};
}

std::vector<Field> conditions() {
  return {
      link(),
      {.name = "compute",
       .type = Type::kChoice,
       .text = "real: workers compute. emulated: they compute one gradient, send it in every step, "
               "and wait for as long as computing takes where a worker has this machine for "
               "itself, so that many share its cores. Nothing is learned then: no accuracy.",
       .choices = {{"real"}, {"emulated"}},
       .schema_default = "real"},
      {.name = "slowdown",
       .type = Type::kDecimal,
       .text = "Of emulated computing: it takes so many times as long.",
       .range = {.at_least = "1", .below = "1e6"}}};
}

Field simulation() {
  constexpr int kMostPause = 86'400;
  return {.name = "simulation",
          .text = "What --simulate takes for granted beside the profile.",
          .fields = {{.name = "changeSeconds",
                      .type = Type::kDecimal,
                      .text = "For how long a job stands still at a change of its size. Without "
                              "it 5, and 60 where its members may not change, so that it starts "
                              "again from a checkpoint.",
                      .range = {.at_least = "0", .below = "1e5"}},
                     {.name = "reportSeconds",
                      .type = Type::kInteger,
                      .text = "Between two reports of progress, after each of which a policy "
                              "decides.",
                      .minimum = 1,
                      .maximum = kMostPause,
                      .schema_default = "10"},
                     {.name = "noise",
                      .type = Type::kDecimal,
                      .text = "By what share the steps within each reportSeconds are faster or "
                              "slower than the cost model says, at most. Drawn with spec.seed, "
                              "the same in all cells.",
                      .range = {.at_least = "0", .below = "0.5"},
                      .schema_default = "\"0.05\""}}};
}

/// A rule of a field that spec.scale leaves no place for.
job::Rule notWithScale(std::string message, bool (*holds)(const yaml::Node& self),
                       std::string field) {
  return {"", std::move(message), holds, std::move(field)};
}

std::vector<job::Rule> specRules() {
  return {
      {"", "exactly one of job and jobPath is needed",
       [](const yaml::Node& self) { return has(self, "job") != has(self, "jobPath"); }},
      {"", "stop needs at least 2 repetitions: one has no interval",
       [](const yaml::Node& self) {
         return !has(self, "stop") || integer(self, "repetitions", 2) >= 2;
       },
       "repetitions"},
      {"", "stop.maxRepetitions must be >= repetitions",
       [](const yaml::Node& self) {
         const yaml::Node* const rule = self.find("stop");
         if (rule == nullptr || !has(*rule, "maxRepetitions")) return true;
         constexpr std::int64_t kLeast = 2;  // the field's own check says so of fewer
         const std::int64_t most = integer(*rule, "maxRepetitions", 0);
         return most < kLeast || most >= integer(self, "repetitions", 0);
       },
       "stop.maxRepetitions", "repetitions"},
      {"", "batchSizePerWorker cannot be used with scale: the mini-batch would change",
       [](const yaml::Node& self) {
         return !has(self, "scale") || !has(self, "batchSizePerWorker");
       },
       "batchSizePerWorker"},
      notWithScale(
          "autoscaling cannot be used with scale, which sets the number of workers",
          [](const yaml::Node& self) { return !has(self, "scale") || !has(self, "autoscaling"); },
          "autoscaling"),
      notWithScale(
          "events cannot be used with scale",
          [](const yaml::Node& self) { return !has(self, "scale") || !has(self, "events"); },
          "events")};
}

Field spec() {
  Field field = {
      .name = "spec",
      .text = "What is run, what is varied, and how it is measured.",
      .required = true,
      .rules = specRules(),
      .fields = {{.name = "job",
                  .text = "The TrainingJob that is varied, whole. Its steps, epochs, checkpoints "
                          "and output are set by the experiment; it is evaluated once, at the end.",
                  .ignored = true},
                 {.name = "jobPath",
                  .type = Type::kString,
                  .text = "Its file instead, from the folder of this document.",
                  .max_length = 4'096},
                 axes(),
                 scaleField(),
                 autoscalingField(),
                 eventsField(),
                 simulation()}};
  for (Field& each : conditions())
    field.fields.push_back(std::move(each));
  for (Field& each : measurement())
    field.fields.push_back(std::move(each));
  return field;
}

Field makeRoot() {
  return job::documentTable(
      "Experiment", "A study: one job in every combination of some values, each run several times.",
      job::nameOnly("The experiment's name.", "Name of the experiment, and of its folder."),
      spec());
}

}  // namespace

const job::Field& experimentField() {
  static const Field kRoot = makeRoot();
  return kRoot;
}

}  // namespace sumac::experiment
