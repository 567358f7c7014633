#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "job/document/edit.h"
#include "job/document/field.h"
#include "job/document/limits.h"
#include "job/document/program_code.h"
#include "job/document/rule_tools.h"

namespace sumac::job::internal {

namespace {

/// A field of `spec` that a program takes over, and what its author does in its place.
struct TakenOver {
  const char* path;
  const char* advice;
};

constexpr std::array<TakenOver, 12> kTakenOver{{
    {"model", "take one of them out"},
    {"data", "load the data in the program and take data out"},
    {"training.optimizer", "make the optimizer in the program and take this out"},
    {"training.schedule", "change the learning rate in the program and take this out"},
    {"training.clip", "clip the gradient in the program and take this out"},
    {"training.initializer", "set the initial weights in the program and take this out"},
    {"training.loss", "compute the loss in the program and take this out"},
    {"training.unroll", "cut the text in the program and take this out"},
    {"training.evaluation", "measure the network in the program and take this out"},
    {"training.noiseScale", "Sumac estimates it for networks of spec.model alone; take this out"},
    {"training.threads", "write program.threads, which fixes the bits, in its place"},
    {"training.kernels", "the libraries of the program compute; take this out"},
}};

bool hasAt(const yaml::Node& self, std::string_view path) {
  return nodeAt(self, path) != nullptr;
}

template <std::size_t Index>
bool isFree(const yaml::Node& self) {
  return !has(self, "program") || !hasAt(self, kTakenOver[Index].path);
}

template <std::size_t Index>
Rule takenOver() {
  const TakenOver& field = kTakenOver[Index];
  return {"!has(self.program) || !has(self." + std::string(field.path) + ")",
          std::string(field.path) + " is not used with program: " + field.advice, isFree<Index>,
          field.path};
}

template <std::size_t... Indices>
std::vector<Rule> takenOverRules(std::index_sequence<Indices...> /*of kTakenOver*/) {
  return {takenOver<Indices>()...};
}

bool hasData(const yaml::Node& self) {
  return has(self, "program") || has(self, "data");
}

/// True where training is missing: that is reported.
bool hasOptimizer(const yaml::Node& self) {
  return has(self, "program") || !has(self, "training") || hasAt(self, "training.optimizer");
}

Field codeSection() {
  return {.name = "code",
          .text =
              "The program's sources, which the job brings along in a ConfigMap. "
              "`sumac submit --code DIR` writes this section. The command runs in their "
              "folder; a worker with other sources is refused.",
          .fields = {{.name = "sha256",
                      .type = Type::kString,
                      .text = "SHA-256 of the lines that `sha256sum` prints for the files, in the "
                              "order of their paths' bytes.",
                      .required = true,
                      .pattern = kSha256Pattern,
                      .max_length = 64},
                     {.name = "files",
                      .type = Type::kList,
                      .text = "The files, as paths within the folder.",
                      .required = true,
                      .minimum = 1,
                      .max_length = static_cast<int>(kMostCodeFiles),
                      .fields = {{.name = "path",
                                  .type = Type::kString,
                                  .text = "One file.",
                                  .required = true,
                                  .pattern = kFolderPattern,
                                  .max_length = kMostCodePath}}}}};
}

}  // namespace

std::vector<Rule> programRules() {
  std::vector<Rule> rules = {
      {"has(self.program) || has(self.model)", "exactly one of model and program must be given",
       [](const yaml::Node& self) { return has(self, "program") || has(self, "model"); }, "model"},
      {"has(self.program) || has(self.data)", "data is required, except with program", hasData,
       "data"},
      {"has(self.program) || has(self.training.optimizer)",
       "training.optimizer is required, except with program", hasOptimizer, "training.optimizer"},
      {.cel = "!has(self.program) || (has(self.worker.template) && "
              "has(self.worker.template.spec) && has(self.worker.template.spec.containers) && "
              "self.worker.template.spec.containers.exists(one, has(one.name) && "
              "one.name == 'sumac' && has(one.image) && one.image != ''))",
       .message = kImageOfProgram}};
  for (Rule& rule : takenOverRules(std::make_index_sequence<kTakenOver.size()>()))
    rules.push_back(std::move(rule));
  return rules;
}

std::vector<std::string> fieldsOfProgram() {
  std::vector<std::string> paths;
  for (const TakenOver& field : kTakenOver)
    paths.emplace_back(field.path);
  return paths;
}

Field programSection() {
  return {.name = "program",
          .text =
              "Your own program, in place of model and data: each worker is a process of it, and "
              "trains with Sumac's library.",
          .change = Change::kNever,
          .fields = {{.name = "command",
                      .type = Type::kList,
                      .text = "The program and its arguments. A program without a slash in its "
                              "name is looked for in PATH. No shell reads the command.",
                      .required = true,
                      .minimum = 1,
                      .max_length = 256,
                      .fields = {{.name = "word",
                                  .type = Type::kString,
                                  .text = "The program, or one argument.",
                                  .required = true,
                                  .max_length = 4096}}},
                     {.name = "threads",
                      .type = Type::kInteger,
                      .text = "Compute threads of each worker. The bits of the result depend on "
                              "it: numerical libraries add in another order with another number "
                              "of threads.",
                      .minimum = 1,
                      .maximum = 1024,
                      .schema_default = "1"},
                     {.name = "verify",
                      .type = Type::kInteger,
                      .text = "Steps between two checks by sumac.torch: it computes a part twice, "
                              "on its worker and on the next one, and compares the gradients, so "
                              "that a program that gives other bits each time is found. 0: none.",
                      .minimum = 0,
                      .maximum = 1'000'000'000,
                      .schema_default = "100"},
                     codeSection()}};
}

}  // namespace sumac::job::internal
