#include "job/document/field.h"
#include "job/document/rule_tools.h"

namespace sumac::job::internal {

namespace {

Field loss() {
  return {.name = "loss",
          .text = "How the losses of a mini-batch become one number.",
          .resolver_default = "{}",
          .fields = {{.name = "reduction",
                      .type = Type::kChoice,
                      .text = "mean: over samples (and time steps); sumOverTime: over samples, "
                              "time steps are added.",
                      .choices = {{"mean"}, {"sumOverTime"}},
                      .resolver_default = "mean"}}};
}

Field initializer() {
  return {.name = "initializer",
          .text = "Initial weights; the same seed gives the same bits everywhere.",
          .resolver_default = "{}",
          .fields = {{.name = "name",
                      .type = Type::kChoice,
                      .text = "xavier: U(-a, a), a = scale sqrt(6 / (fan in + fan out)); he: a = "
                              "scale sqrt(6 / fan in); uniform: a = scale.",
                      .choices = {{"xavier"}, {"he"}, {"uniform"}},
                      .resolver_default = "xavier"},
                     {.name = "scale",
                      .type = Type::kDecimal,
                      .text = "Scales the range of the initial weights.",
                      .range = {.above = "0"},
                      .resolver_default = "\"1\""}}};
}

std::vector<Field> adamFields() {
  const OnlyWith adam{"name", {"adam"}};
  return {{.name = "beta1",
           .type = Type::kDecimal,
           .text = "Decay of adam's mean of gradients.",
           .range = {.at_least = "0", .below = "1"},
           .resolver_default = "\"0.9\"",
           .only_with = adam},
          {.name = "beta2",
           .type = Type::kDecimal,
           .text = "Decay of adam's mean of squared gradients.",
           .range = {.at_least = "0", .below = "1"},
           .resolver_default = "\"0.999\"",
           .only_with = adam},
          {.name = "epsilon",
           .type = Type::kDecimal,
           .text = "Added to adam's denominator.",
           .range = {.above = "0"},
           .resolver_default = "\"1e-8\"",
           .only_with = adam}};
}

Field optimizer() {
  Field field = {.name = "optimizer",
                 .text = "How the gradient changes the weights.",
                 .rules = {{"!has(self.name) || self.name != 'nesterov' || has(self.momentum)",
                            "optimizer nesterov needs momentum",
                            [](const yaml::Node& self) {
                              return textOf(self, "name") != "nesterov" || has(self, "momentum");
                            }}},
                 .fields = {{.name = "name",
                             .type = Type::kChoice,
                             .text = "The update rule.",
                             .choices = {{"sgd"}, {"nesterov"}, {"adam"}},
                             .missing_choices = {"adamw"},
                             .resolver_default = "sgd"},
                            {.name = "learningRate",
                             .type = Type::kDecimal,
                             .text = "Learning rate, before the schedule changes it.",
                             .required = true,
                             .range = {.above = "0"}},
                            {.name = "momentum",
                             .type = Type::kDecimal,
                             .text = "Fraction of the last update that is added to the next one.",
                             .range = {.at_least = "0", .below = "1"},
                             .resolver_default = "\"0\"",
                             .only_with = OnlyWith{"name", {"sgd", "nesterov"}}},
                            {.name = "weightDecay",
                             .type = Type::kDecimal,
                             .text = "L2 penalty: weightDecay times the weight is added to the "
                                     "gradient.",
                             .range = {.at_least = "0"}}}};
  for (Field& adam : adamFields())
    field.fields.push_back(std::move(adam));
  return field;
}

Field schedule() {
  return {.name = "schedule",
          .text = "How the learning rate changes during the job.",
          .resolver_default = "{}",
          .rules = {{"!has(self.name) || self.name != 'step' || (has(self.everyEpochs) && "
                     "has(self.factor))",
                     "schedule step needs everyEpochs and factor",
                     [](const yaml::Node& self) {
                       return textOf(self, "name") != "step" ||
                              (has(self, "everyEpochs") && has(self, "factor"));
                     }},
                    {"!has(self.name) || self.name != 'exponential' || has(self.factor)",
                     "schedule exponential needs factor",
                     [](const yaml::Node& self) {
                       return textOf(self, "name") != "exponential" || has(self, "factor");
                     }},
                    {"!has(self.name) || self.name != 'hold' || (has(self.holdEpochs) && "
                     "has(self.factor))",
                     "schedule hold needs holdEpochs and factor",
                     [](const yaml::Node& self) {
                       return textOf(self, "name") != "hold" ||
                              (has(self, "holdEpochs") && has(self, "factor"));
                     }}},
          .fields = {{.name = "name",
                      .type = Type::kChoice,
                      .text = "constant; step: times factor every everyEpochs; exponential: times "
                              "factor each epoch; hold: constant for holdEpochs, then exponential.",
                      .choices = {{"constant"}, {"step"}, {"exponential"}, {"hold"}},
                      .missing_choices = {"cosine"},
                      .resolver_default = "constant"},
                     {.name = "warmupSteps",
                      .type = Type::kInteger,
                      .text = "Steps in which the rate rises from 0 to its value.",
                      .minimum = 0,
                      .maximum = 1'000'000'000},
                     {.name = "holdEpochs",
                      .type = Type::kInteger,
                      .text = "Epochs before the rate falls.",
                      .minimum = 0,
                      .maximum = 1'000'000,
                      .only_with = OnlyWith{"name", {"hold"}}},
                     {.name = "everyEpochs",
                      .type = Type::kInteger,
                      .text = "Epochs between two changes of the rate.",
                      .minimum = 1,
                      .maximum = 1'000'000,
                      .only_with = OnlyWith{"name", {"step"}}},
                     {.name = "factor",
                      .type = Type::kDecimal,
                      .text = "The rate is multiplied by it at each change.",
                      .range = {.above = "0"},
                      .only_with = OnlyWith{"name", {"step", "exponential", "hold"}}}}};
}

Field clip() {
  return {.name = "clip",
          .text = "Bounds the gradient before the update.",
          .rules = {{"!(has(self.globalNorm) && has(self.value))",
                     "only one of globalNorm and value may be given",
                     [](const yaml::Node& self) {
                       return !(has(self, "globalNorm") && has(self, "value"));
                     }}},
          .fields = {{.name = "globalNorm",
                      .type = Type::kDecimal,
                      .text = "The whole gradient is scaled down to this Euclidean norm.",
                      .range = {.above = "0"}},
                     {.name = "value",
                      .type = Type::kDecimal,
                      .text = "Each component is clipped to [-value, value].",
                      .range = {.above = "0"}}}};
}

Field evaluation() {
  return {.name = "evaluation",
          .text = "When the network is measured on the test data.",
          .resolver_default = "{}",
          .fields = {{.name = "everyEpochs",
                      .type = Type::kInteger,
                      .text = "Epochs between two evaluations; the end is always evaluated.",
                      .minimum = 1,
                      .maximum = 1'000'000,
                      .resolver_default = "1"}}};
}

std::vector<Field> lengthFields() {
  return {{.name = "batchSize",
           .type = Type::kInteger,
           .text = "Samples in one step of the whole job, whatever the number of workers.",
           .required = true,
           .minimum = 1,
           .maximum = 1'048'576},
          {.name = "epochs",
           .type = Type::kInteger,
           .text = "Passes over the training data. Either epochs or steps is given.",
           .minimum = 1,
           .maximum = 1'000'000},
          {.name = "steps",
           .type = Type::kInteger,
           .text = "Updates of the weights. Either epochs or steps is given.",
           .minimum = 1,
           .maximum = 1'000'000'000'000},
          {.name = "seed",
           .type = Type::kInteger,
           .text = "Seed of all random numbers of the job.",
           .minimum = 0,
           .resolver_default = "1"},
          {.name = "logicalWorkers",
           .type = Type::kInteger,
           .text = "V: the parts into which every mini-batch is cut. The bits of the result depend "
                   "on V, not on the number of workers. Fixed for the job's life; by default "
                   "worker.maxReplicas, else worker.replicas, as in the file: editing these "
                   "changes the bits, `sumac run --workers` and `sumac scale` do not. Give V to "
                   "keep the bits whatever the number of workers.",
           .minimum = 1,
           .maximum = 4096}};
}

}  // namespace

Field trainingSection() {
  Field field = {
      .name = "training",
      .text = "How the network is trained.",
      .required = true,
      .change = Change::kNever,
      .rules = {{"has(self.epochs) != has(self.steps)",
                 "exactly one of epochs and steps must be given",
                 [](const yaml::Node& self) { return has(self, "epochs") != has(self, "steps"); }},
                {"!has(self.logicalWorkers) || self.logicalWorkers <= self.batchSize",
                 "logicalWorkers must be <= batchSize",
                 [](const yaml::Node& self) {
                   return ordered(integerIn(self, "logicalWorkers"), integerIn(self, "batchSize"));
                 },
                 "logicalWorkers", "batchSize"}},
      .fields = lengthFields()};
  for (Field& section :
       std::vector<Field>{loss(), initializer(), optimizer(), schedule(), clip()}) {
    field.fields.push_back(std::move(section));
  }
  field.fields.push_back({.name = "unroll",
                          .type = Type::kInteger,
                          .text = "Time steps through which gradients flow back, text only; those "
                                  "of the model by default (20 in the zoo).",
                          .minimum = 1,
                          .maximum = 10'000});
  field.fields.push_back(evaluation());
  field.fields.push_back({.name = "noiseScale",
                          .type = Type::kBoolean,
                          .text = "Estimates the gradient noise scale, in samples: far below it, "
                                  "a larger batchSize saves steps. Needs logicalWorkers >= 2, and "
                                  "some time and memory. The bits do not depend on it."});
  field.fields.push_back({.name = "threads",
                          .type = Type::kIntegerOrWord,
                          .text = "Compute threads of each worker; the bits do not depend on it. "
                                  "auto: the whole CPUs of its CPU limit, without one those of "
                                  "the machine; `sumac run` divides them by its workers. At "
                                  "least 1.",
                          .minimum = 1,
                          .maximum = 1024,
                          .choices = {{"auto"}},
                          .resolver_default = "auto"});
  field.fields.push_back({.name = "kernels",
                          .type = Type::kChoice,
                          .text = "Instruction set of the kernels; auto is the best that all have. "
                                  "It fixes the bits: a job that resumes keeps that of its "
                                  "checkpoint, and asking for another is rejected.",
                          .choices = {{"auto"}, {"baseline"}, {"avx2"}, {"avx512"}},
                          .resolver_default = "auto"});
  return field;
}

}  // namespace sumac::job::internal
