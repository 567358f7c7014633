#include "job/document/job.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/core/check.h"
#include "base/core/units.h"
#include "base/yaml/reader.h"
#include "job/document/data_limits.h"
#include "job/document/edit.h"
#include "job/document/field.h"
#include "job/document/job_checks.h"
#include "job/document/json.h"
#include "job/document/limits.h"
#include "job/document/model_check.h"
#include "job/document/network_of.h"
#include "job/document/pod_fields.h"
#include "job/document/program_code.h"
#include "job/document/resolve.h"
#include "job/document/rule_tools.h"
#include "job/document/training_job.h"
#include "job/document/unquoted.h"

namespace sumac::job {

namespace {

/// Images that one vector of a job's kernels holds, and how the kernels are named.
struct VectorWidth {
  std::int64_t count;
  const char* kernels;
};

VectorWidth widthOf(Kernels kernels) {
  switch (kernels) {
    case Kernels::kAuto: return {16, "the avx512 kernels (8 of avx2, 4 of baseline)"};
    case Kernels::kAvx512: return {16, "the avx512 kernels"};
    case Kernels::kAvx2: return {8, "the avx2 kernels"};
    case Kernels::kBaseline: return {4, "the baseline kernels"};
  }
  failCheck("kernels is one of the enumerators", std::to_string(static_cast<int>(kernels)));
}

std::int64_t ceilDivide(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

bool isText(const ModelSpec& model) {
  if (model.network) return model.network->isText();
  const auto spec = model::fromZoo(model.name);
  return spec && spec->isText();
}

/// Parts of fewer images than a vector holds leave a part of the processor idle. Streams of text
/// fill them with time steps.
void warnOfSmallParts(const TrainingSpec& training, std::optional<std::int64_t> samples,
                      std::vector<std::string>& warnings) {
  const std::int64_t batch = training.batch_size;
  const std::int64_t parts = training.logical_workers;
  const std::int64_t smallest = batch / parts;
  const auto [width, kernels] = widthOf(training.kernels);
  if (smallest >= width) return;
  std::string better;
  // A mini-batch cannot be larger than the data.
  if (width * parts <= samples.value_or(width * parts)) {
    better = "spec.training.batchSize of " + std::to_string(width * parts) + " or more";
  }
  if (const std::int64_t fitting = batch / width; fitting >= 1 && fitting < parts) {
    better += better.empty() ? "" : ", or ";
    better += "spec.training.logicalWorkers of " + std::to_string(fitting) + " or fewer";
  }
  warnings.push_back("each of " + counted(parts, "part") + " has only " +
                     counted(smallest, "sample") + " of a mini-batch of " + std::to_string(batch) +
                     "; fewer than " + std::to_string(width) +
                     " waste part of every instruction of " + kernels + "." +
                     (better.empty() ? "" : " Better: " + better));
}

/// The busiest worker sets the speed.
void warnOfUnevenBlocks(const TrainingJob& job, std::vector<std::string>& warnings) {
  const std::int64_t parts = job.training.logical_workers;
  const std::int64_t workers = job.worker.replicas;
  if (parts % workers == 0) return;
  const std::int64_t most = ceilDivide(parts, workers);
  const std::int64_t fewer = ceilDivide(parts, most);
  const std::int64_t more = most == 1 ? workers : ceilDivide(parts, most - 1);
  std::string better = "spec.worker.replicas of ";
  if (fewer < workers) better += std::to_string(fewer) + " (as fast as now) or ";
  better += std::to_string(more) + " (" + counted(most - 1, "part") +
            " each at most), or spec.training.logicalWorkers of " + std::to_string(most * workers);
  warnings.push_back(counted(parts, "part") + " on " + counted(workers, "worker") +
                     ": the busiest computes " + std::to_string(most) + ", others " +
                     std::to_string(most - 1) + " and wait. Better: " + better);
}

/// What is legal but slow in this job, each with better choices
/// (docs/design/exchange.md#choosing-v). `samples`: images to train on, if that is known.
std::vector<std::string> warningsFor(const TrainingJob& job, std::optional<std::int64_t> samples) {
  std::vector<std::string> warnings;
  if (!job.program && !isText(job.model)) warnOfSmallParts(job.training, samples, warnings);
  warnOfUnevenBlocks(job, warnings);
  return warnings;
}

/// As workers warn, too, who know the classes of all data.
void warnOfIdleOutputs(const TrainingJob& job, std::optional<std::int64_t> classes,
                       std::vector<std::string>& warnings) {
  if (!classes) return;
  const auto network = networkOf(job);
  if (!network) return;
  if (std::string idle = idleOutputs(*network, *classes); !idle.empty())
    warnings.push_back(std::move(idle));
}

/// Whether a node is the main container, with its image.
bool hasOwnImage(const yaml::Node& container) {
  return textOf(container, "name") == "sumac" && !textOf(container, "image").empty();
}

/// In a cluster a program comes in an image of the user. The same in CEL: programRules().
void requireImage(const yaml::Node& root, std::string_view file, std::vector<Problem>& problems) {
  const yaml::Node* const containers = nodeAt(root, "spec.worker.template.spec.containers");
  if (containers != nullptr && std::ranges::any_of(containers->items, hasOwnImage)) return;
  const auto [line, column] = nodeAt(root, "spec.program")->position;
  problems.push_back({std::string(file), line, column, "spec.program", kImageOfProgram});
}

/// The API server does not check this: comparing every two of the files would cost it too much.
void checkCodeFiles(const yaml::Node& root, std::string_view file, std::vector<Problem>& problems) {
  const yaml::Node* const list = nodeAt(root, "spec.program.code.files");
  if (list == nullptr) return;
  std::vector<std::string> files;
  for (const yaml::Node& item : list->items)
    files.push_back(item.text);
  std::string problem = codeFilesProblem(std::move(files));
  if (problem.empty()) return;
  const auto [line, column] = list->position;
  problems.push_back({std::string(file), line, column, "spec.program.code.files", problem});
}

Problem problemAt(std::string_view file, yaml::Position position, std::string message) {
  return {std::string(file), position.line, position.column, "", std::move(message)};
}

/// The document's tree; nothing if there is none.
std::optional<yaml::Node> rootOf(yaml::Document document, std::string_view file,
                                 std::vector<Problem>& problems) {
  if (!document.root) {
    problems.push_back(problemAt(file, document.position, document.message));
    return std::nullopt;
  }
  yaml::Node root = std::move(*document.root);
  if (root.kind != yaml::Kind::kMap) {
    const std::string found = root.kind == yaml::Kind::kNull
                                  ? "the document is empty"
                                  : "found " + std::string(yaml::toString(root.kind));
    problems.push_back(problemAt(file, {1, 1}, found + ", must be a TrainingJob"));
    return std::nullopt;
  }
  return root;
}

/// Makes the changes of the command line, and adds what the API server would.
void prepare(yaml::Node& root, std::string_view file, const Overrides& overrides,
             Reading& reading) {
  for (const std::string& set : overrides.sets) {
    if (const auto applied = applySet(root, set); !applied) {
      reading.problems.push_back(problemAt(file, {}, applied.error().message));
    }
  }
  reading.document = JsonTree(toJson(root));
  if (!overrides.transport.empty() && nodeAt(root, "spec.security.transport") == nullptr) {
    // If something other than a map is in the way, check() reports it.
    (void)applySet(root, "security.transport=" + overrides.transport);
  }
  const bool is_silent = nodeAt(root, "spec.checkpoint.everySteps") == nullptr &&
                         nodeAt(root, "spec.checkpoint.everySeconds") == nullptr;
  if (overrides.checkpoint_seconds && is_silent) {
    (void)applySet(root,
                   "checkpoint.everySeconds=" + std::to_string(*overrides.checkpoint_seconds));
  }
  if (!overrides.base.empty()) applyBase(root, overrides.base);
  applySchemaDefaults(root);
  reading.parts_from = applyWorkers(root, overrides);
}

/// Whether nothing at or below `path` was reported.
bool isSound(const std::vector<Problem>& problems, std::string_view path) {
  return std::none_of(problems.begin(), problems.end(),
                      [path](const Problem& problem) { return problem.path.starts_with(path); });
}

/// Strings of a document must not control the terminal that shows a message: control characters
/// (C0, DEL, and C1 as UTF-8 has them) become "\x1b".
std::string withoutControls(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string safe;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    const bool is_c1 = byte == 0xC2U && next >= 0x80U && next < 0xA0U;
    if (byte >= 0x20U && byte != 0x7FU && !is_c1) {
      safe += text[i];
      continue;
    }
    const unsigned code = is_c1 ? next : byte;
    safe += std::string("\\x") + kDigits[code / 16] + kDigits[code % 16];
    if (is_c1) ++i;
  }
  return safe;
}

/// Says of a number that a flag gave which flag it was.
void nameFlags(const Overrides& overrides, std::vector<Problem>& problems) {
  for (Problem& problem : problems) {
    if (overrides.workers && problem.path == "spec.worker.replicas")
      problem.message += " (--workers)";
    // A section that only the flag made stands on no line.
    const bool by_flag = problem.path == "spec.server" && problem.line == 0;
    if (overrides.servers && (by_flag || problem.path == "spec.server.replicas"))
      problem.message += " (--servers)";
  }
}

void sortByPosition(std::vector<Problem>& problems) {
  std::stable_sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) {
    return std::pair(a.line, a.column) < std::pair(b.line, b.column);
  });
}

}  // namespace

std::string Problem::text() const {
  std::string text = file;
  if (line > 0) text += ":" + std::to_string(line) + ":" + std::to_string(column);
  if (!path.empty()) text += " " + path;
  return withoutControls(text + ": " + message);
}

Reading readJob(std::string_view text, std::string_view file, const Overrides& overrides,
                bool needs_to_run) {
  Reading reading;
  std::optional<yaml::Node> root = rootOf(yaml::parse(text), file, reading.problems);
  if (!root) return reading;
  std::string unquoted = quoteDecimals(rootField(), *root);
  reading = readJob(*std::move(root), file, overrides, needs_to_run);
  reading.unquoted = std::move(unquoted);
  return reading;
}

Reading readJob(const JsonTree& document, std::string_view file, const Overrides& overrides,
                bool needs_to_run) {
  Reading reading;
  std::optional<yaml::Node> root = rootOf(yaml::fromJson(*document), file, reading.problems);
  return root ? readJob(*std::move(root), file, overrides, needs_to_run) : reading;
}

Reading readJob(yaml::Node root, std::string_view file, const Overrides& overrides,
                bool needs_to_run) {
  Reading reading;
  prepare(root, file, overrides, reading);
  Findings findings = check(root, file);
  std::move(findings.problems.begin(), findings.problems.end(),
            std::back_inserter(reading.problems));
  nameFlags(overrides, reading.problems);
  std::optional<model::NetworkSpec> network;
  if (isSound(reading.problems, "kind") && isSound(reading.problems, "spec.model"))
    network = checkModel(root, file, reading.problems);
  sortByPosition(reading.problems);
  reading.unavailable = std::move(findings.unavailable);
  sortByPosition(reading.unavailable);
  if (needs_to_run) {
    // First: what would have to change for the rest may not help then.
    reading.problems.insert(reading.problems.begin(), reading.unavailable.begin(),
                            reading.unavailable.end());
    reading.unavailable.clear();
  }
  if (reading.problems.empty()) checkCodeFiles(root, file, reading.problems);
  if (!reading.problems.empty()) return reading;
  applyResolverDefaults(root);
  reading.job = convert(root);
  if (reading.job->program) requireImage(root, file, reading.only_local);
  reading.job->model.network = std::move(network);
  reading.warnings = warningsFor(*reading.job, knownImages(root));
  warnOfIdleOutputs(*reading.job, knownClasses(root), reading.warnings);
  std::ranges::move(podFieldWarnings(root, file), std::back_inserter(reading.warnings));
  reading.resolved = JsonTree(toJson(root));
  return reading;
}

std::string problemList(const std::vector<Problem>& problems) {
  std::string list;
  for (const Problem& problem : problems)
    list += problem.text() + "\n";
  return list;
}

}  // namespace sumac::job
