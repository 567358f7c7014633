#include "cli/document/document.h"

#include <algorithm>
#include <cctype>
#include <istream>
#include <iterator>
#include <ostream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "base/core/complain.h"
#include "base/core/exit_code.h"
#include "base/core/file.h"
#include "base/core/result.h"
#include "base/core/units.h"
#include "base/yaml/reader.h"
#include "cli/document/worker_limit.h"
#include "job/document/crd.h"
#include "job/document/explain.h"
#include "job/document/field.h"
#include "job/document/markdown.h"
#include "kube/api/template_merge.h"
#include "planner/convolution_choice/given_costs.h"
#include "planner/machines/fields.h"
#include "planner/machines/read.h"
#include "planner/report/size_words.h"

#include "experiment/document/fields.h"

namespace sumac::cli {

namespace {

std::string workersText(const job::TrainingJob& job) {
  if (!job.autoscaling) return counted(job.worker.replicas, "worker");
  return std::to_string(job.worker.min_replicas.value_or(1)) + " to " +
         counted(job.worker.max_replicas.value_or(1), "worker") + " by " +
         std::string(job::toString(job.autoscaling->policy));
}

std::string summary(const job::TrainingJob& job) {
  std::string text = "TrainingJob " + job.name + ", " + workersText(job);
  text += job.strategy.hasServers() ? ", " + counted(job.server.replicas, "server")
                                    : std::string(", no servers");
  return text + ", V = " + std::to_string(job.training.logical_workers);
}

/// What fixes the bits of the result where the document does not say so itself.
std::string noteOnParts(const job::Reading& reading) {
  constexpr const char* kParts = "spec.training.logicalWorkers";
  if (reading.parts_from == kParts) return {};
  const job::TrainingSpec& training = reading.job->training;
  const std::string parts = std::to_string(training.logical_workers);
  // V is the upper limit of --workers, so one that is right for now would be in the way later.
  constexpr int kSome = 4;
  const auto some =
      std::min<std::int64_t>(training.batch_size, std::max(kSome, training.logical_workers));
  const std::string advice = std::string("set ") + kParts +
                             " to the most workers you want, for example " + std::to_string(some) +
                             "\n";
  const nlohmann::ordered_json::json_pointer workers("/spec/worker/replicas");
  if (reading.parts_from == "spec.worker.replicas" && !reading.document->contains(workers)) {
    return "note: V = " + parts +
           " is the default. The bits of the result depend on V: to keep them with more "
           "workers, " +
           advice;
  }
  return "note: V = " + parts + " comes from " + reading.parts_from +
         ". The bits of the result depend on V: to keep them when you edit that number, " + advice;
}

/// From which number of workers on each of them fits its memory limit, where some may be lost.
std::string noteOnFewWorkers(const WorkerMemory& memory, std::uint64_t limit) {
  if (memory.beyond.empty()) return {};
  const auto& [workers, bytes] = *memory.beyond.rbegin();
  return "note: the memory limit of " + bytesText(limit) + " fits from " +
         counted(workers + 1, "worker") + " on: with " + std::to_string(workers) +
         " one needs about " + bytesText(bytes) +
         " and its data. When so few are left, they wait for others.\n";
}

/// Where some numbers of workers are as fast as others. Of a fixed number a warning says more.
std::string noteOnSizes(const job::TrainingJob& job) {
  if (!job.worker.min_replicas || !job.worker.max_replicas) return {};
  const int workers = job.autoscaling ? *job.worker.min_replicas : job.worker.replicas;
  const std::string text = planner::sizesText({.parts = job.training.logical_workers,
                                               .workers = workers,
                                               .least = *job.worker.min_replicas,
                                               .most = *job.worker.max_replicas});
  return text.empty() ? "" : "note: " + text + "\n";
}

/// How a job that chooses its number of workers changes it, where that is not in place.
std::string noteOnRestarts(const job::TrainingJob& job) {
  if (!job.autoscaling || job.canChangeMembers()) return {};
  return "note: in a cluster each change of the number of workers restarts the job, and sumac run "
         "refuses it: " +
         job.fixedMembersCause() + "\n";
}

/// What is wrong with a document, or what it is.
struct Checked {
  std::vector<job::Problem> problems;
  std::string content;
};

Checked checkMachines(const std::string& text, const std::string& name) {
  const auto reading = planner::readMachineTypes(text, name, planner::latestToday());
  return {reading.problems,
          planner::machineTypeNames(reading.types) + ", for sumac plan --machines"};
}

Checked checkConvolutions(const std::string& text, const std::string& name) {
  const auto reading = planner::readGivenCosts(text, name);
  const auto count = reading.costs ? std::ssize(reading.costs->convolutions) : 0;
  return {reading.problems, counted(count, "convolution") + ", for sumac plan --convolutions"};
}

/// A document beside the job that `sumac plan` reads.
struct PlanDocument {
  std::string_view path;  // what explain calls it; what explain() knows is the kind
  const job::Field& (*schema)();
  Checked (*check)(const std::string& text, const std::string& name);
};

constexpr PlanDocument kPlanDocuments[] = {
    {"machines", planner::machineTypesField, checkMachines},
    {"convolutions", planner::convolutionCostsField, checkConvolutions}};

/// The table of the document that a path begins with; else the TrainingJob's.
const job::Field& schemaOf(std::string path) {
  std::ranges::transform(path, path.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (path.starts_with("experiment")) return experiment::experimentField();
  for (const PlanDocument& document : kPlanDocuments)
    if (path.starts_with(document.path)) return document.schema();
  return job::rootField();
}

/// "machines.spec" as "MachineTypes.spec".
std::string withKind(const job::Field& schema, const std::string& path) {
  for (const PlanDocument& document : kPlanDocuments) {
    const std::size_t length = document.path.size();
    if (&schema == &document.schema() && (path.size() == length || path[length] == '.'))
      return schema.name + path.substr(length);
  }
  return path;
}

/// The document that `text` says it is; nullptr: a job, or none.
const PlanDocument* planDocumentOf(const std::string& text) {
  const auto document = yaml::parse(text);
  if (!document.root || document.root->kind != yaml::Kind::kMap) return nullptr;
  const yaml::Node* const kind = document.root->find("kind");
  const auto found = std::ranges::find_if(kPlanDocuments, [kind](const PlanDocument& one) {
    return kind != nullptr && kind->text == one.schema().name;
  });
  return found == std::end(kPlanDocuments) ? nullptr : found;
}

int validatePlanDocument(const PlanDocument& document, const std::string& text,
                         const std::string& name, std::ostream& out, std::ostream& err) {
  const Checked checked = document.check(text, name);
  if (!checked.problems.empty()) {
    err << job::problemList(checked.problems) << counted(std::ssize(checked.problems), "problem")
        << " in " << name << "\n";
    return toInt(ExitCode::kBadConfiguration);
  }
  out << name << " is valid: " << document.schema().name << " " << checked.content << "\n";
  return toInt(ExitCode::kDone);
}

}  // namespace

Result<void> checkTemplates(const job::Reading& reading) {
  return api::checkTemplates(*reading.document);
}

std::string noteOnReplicas(const job::Reading& reading) {
  const job::TrainingJob& job = *reading.job;
  const nlohmann::ordered_json::json_pointer replicas("/spec/worker/replicas");
  if (!job.autoscaling || !reading.document->contains(replicas)) return {};
  const auto& written = reading.document->at(replicas);
  const int least = job.worker.min_replicas.value_or(1);
  if (!written.is_number_integer() || written == least) return {};
  return "note: spec.worker.replicas of " + written.dump() +
         " is not used: spec.autoscaling begins with minReplicas, " + std::to_string(least) + "\n";
}

Result<std::string> readDocument(const std::string& file, std::istream& in) {
  if (file != "-") return readTextFile(file, yaml::kMaxBytes);
  // One byte more than a document may have, so that its reader sees and refuses a longer one.
  constexpr std::size_t kMostRead = yaml::kMaxBytes + 1;
  std::string text(kMostRead, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) return Error{ErrorCode::kUnavailable, "cannot read standard input"};
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

int validate(const std::string& file, const job::Overrides& overrides, std::istream& in,
             std::ostream& out, std::ostream& err, const AskMemory& ask_memory) {
  const Result<std::string> text = readDocument(file, in);
  if (!text) return toInt(complain(err, text.error(), ExitCode::kUsage));
  return validateText(*text, file, overrides, out, err, ask_memory);
}

int validateText(const std::string& text, const std::string& file, const job::Overrides& overrides,
                 std::ostream& out, std::ostream& err, const AskMemory& ask_memory) {
  const std::string name = file == "-" ? "<stdin>" : file;
  if (const PlanDocument* const document = planDocumentOf(text))
    return validatePlanDocument(*document, text, name, out, err);
  const job::Reading reading = job::readJob(text, name, overrides, /*needs_to_run=*/false);
  if (!reading.job) {
    err << job::problemList(reading.unavailable) << job::problemList(reading.problems)
        << counted(std::ssize(reading.unavailable) + std::ssize(reading.problems), "problem")
        << " in " << name << "\n";
    return toInt(ExitCode::kBadConfiguration);
  }
  if (const auto checked = checkTemplates(reading); !checked) {
    err << name << " " << checked.error().message << "\n1 problem in " << name << "\n";
    return toInt(ExitCode::kBadConfiguration);
  }
  if (!reading.only_local.empty()) {
    err << job::problemList(reading.only_local)
        << counted(std::ssize(reading.only_local), "problem") << " in " << name
        << " in a cluster; sumac run can run it here\n";
    return toInt(ExitCode::kBadConfiguration);
  }
  for (const std::string& warning : reading.warnings)
    err << "warning: " << warning << "\n";
  if (!reading.unquoted.empty()) {
    err << "warning: " << reading.unquoted
        << " is read as it is written, but `kubectl apply` refuses it without quotes\n";
  }
  if (!reading.unavailable.empty()) {
    err << job::problemList(reading.unavailable) << "this version of Sumac cannot run " << name
        << " yet\n";
    return toInt(ExitCode::kBadConfiguration);
  }
  out << name << " is valid: " << summary(*reading.job) << "\n"
      << noteOnParts(reading) << noteOnSizes(*reading.job) << noteOnReplicas(reading)
      << noteOnRestarts(*reading.job);
  if (ask_memory) {
    // A text network's size may depend on its data, which are not read here: then nothing is known.
    const auto own = workerMemoryLimit(*reading.document);
    const auto limit =
        reading.job->canChangeMembers() ? static_cast<std::uint64_t>(own.value_or(0)) : 0;
    std::vector<std::string> arguments;
    if (limit > 0) arguments = {"--limit", std::to_string(limit)};
    const auto memory = ask_memory(std::move(arguments), reading.resolved.text());
    if (memory) out << memoryLine(*memory) << "\n" << noteOnFewWorkers(*memory, limit);
    if (memory && memory->bytes > machineMemory()) {
      err << "warning: a worker needs about " << bytesText(memory->bytes) << ", this machine has "
          << bytesText(machineMemory()) << "\n";
    }
  }
  return toInt(ExitCode::kDone);
}

int explain(const std::string& path, std::ostream& out, std::ostream& err) {
  const job::Field& schema = schemaOf(path);
  const Result<std::string> text = job::explain(schema, withKind(schema, path));
  if (!text) return toInt(complain(err, text.error(), ExitCode::kUsage));
  out << *text;
  return toInt(ExitCode::kDone);
}

int explainAsMarkdown(std::ostream& out) {
  out << job::markdown();
  return toInt(ExitCode::kDone);
}

int crd(std::ostream& out) {
  out << job::crd();
  return toInt(ExitCode::kDone);
}

}  // namespace sumac::cli
