#include "cli/compare/run_record.h"

#include <array>
#include <fstream>
#include <string_view>
#include <variant>

#include <nlohmann/json.hpp>

#include "base/core/file.h"
#include "base/core/json_tree.h"
#include "cli/run/folder.h"
#include "job/document/job.h"
#include "job/progress/job_event.h"

namespace sumac::cli {
namespace {

using nlohmann::ordered_json;

struct MeasureName {
  Measure measure;
  std::string_view text;
  std::string_view key;
};

constexpr std::array kNames{
    MeasureName{Measure::kTrainLoss, "training loss", "trainLoss"},
    MeasureName{Measure::kValidationLoss, "validation loss", "validationLoss"},
    MeasureName{Measure::kValidationAccuracy, "validation accuracy", "validationAccuracy"},
    MeasureName{Measure::kValidationPerplexity, "validation perplexity", "validationPerplexity"},
    MeasureName{Measure::kTestLoss, "test loss", "testLoss"},
    MeasureName{Measure::kTestAccuracy, "test accuracy", "testAccuracy"},
    MeasureName{Measure::kTestPerplexity, "test perplexity", "testPerplexity"}};

const MeasureName& nameOf(Measure measure) {
  return kNames.at(static_cast<std::size_t>(measure));
}

std::string textOf(const ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void addFields(const ordered_json& value, const std::string& path, RunRecord::Fields& fields) {
  if (value.is_object()) {
    for (const auto& [key, below] : value.items())
      addFields(below, path.empty() ? key : path + "." + key, fields);
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i)
      addFields(value[i], path + "[" + std::to_string(i) + "]", fields);
  } else {
    fields.emplace_back(path, textOf(value));
  }
}

void put(RunRecord& run, Measure measure, Step step, const std::optional<double>& value) {
  if (value) run.curves[measure].insert_or_assign(step, *value);
}

void add(RunRecord& run, const JobEvent& event) {
  if (const auto* const progress = std::get_if<Progress>(&event)) {
    put(run, Measure::kTrainLoss, progress->step, progress->loss);
    run.is_text = run.is_text || progress->perplexity.has_value();
    run.steps = progress->step;
    run.seconds = progress->seconds;
    run.samples_per_second = progress->samples_per_second;
  } else if (const auto* const scores = std::get_if<Evaluated>(&event)) {
    put(run, Measure::kValidationLoss, scores->step, scores->valid_loss);
    put(run, Measure::kValidationAccuracy, scores->step, scores->valid_accuracy);
    put(run, Measure::kValidationPerplexity, scores->step, scores->valid_perplexity);
    put(run, Measure::kTestLoss, scores->step, scores->test_loss);
    put(run, Measure::kTestAccuracy, scores->step, scores->test_accuracy);
    put(run, Measure::kTestPerplexity, scores->step, scores->test_perplexity);
  }
}

void readMetrics(const OutputFolder& output, RunRecord& run) {
  std::ifstream in(output.metrics(), std::ios::binary);
  for (std::string line; std::getline(in, line);) {
    if (const auto event = jobEventFromLine(line)) add(run, *event);
  }
}

void readResult(const OutputFolder& output, RunRecord& run) {
  run.state = "Unfinished";
  constexpr std::uint64_t kMostBytes = 1'000'000;
  const auto text = readTextFile(output.result(), kMostBytes);
  if (!text) return;
  const auto json = ordered_json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return;
  if (const auto result = output.readResult()) {
    run.state = "Succeeded";
    run.steps = result->steps;
    run.seconds = result->seconds;
    run.samples_per_second = result->samples_per_second;
    run.parameters_sha256 = result->parameters_sha256;
    run.is_emulated = result->is_emulated;
    return;
  }
  const auto wordOf = [&json](const char* name) {
    const auto found = json.find(name);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  run.state = wordOf("state") == "Stopped" ? "Stopped" : "Failed";
  run.cause = RunFolder::onOneLine(wordOf("message"));
}

}  // namespace

std::string_view toString(Measure measure) {
  return nameOf(measure).text;
}

std::string_view keyOf(Measure measure) {
  return nameOf(measure).key;
}

bool isAccuracy(Measure measure) {
  return measure == Measure::kValidationAccuracy || measure == Measure::kTestAccuracy;
}

RunRecord::Fields fieldsOf(const ordered_json& job) {
  RunRecord::Fields fields;
  const auto spec = job.find("spec");
  if (spec != job.end()) addFields(*spec, "", fields);
  return fields;
}

Result<RunRecord> readRun(const std::filesystem::path& folder) {
  const RunFolder run_folder(folder);
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored))
    return Error{ErrorCode::kNotFound, "there is no folder " + folder.string()};
  if (!std::filesystem::is_regular_file(run_folder.job(), ignored)) {
    return Error{ErrorCode::kNotFound,
                 folder.string() +
                     " is not the folder of a run: it has no job.yaml; name one of "
                     "runs/, or the folder that --output-dir named"};
  }
  const auto text = readTextFile(run_folder.job(), RunFolder::kMaxJobBytes);
  if (!text) return text.error();
  const auto reading = job::readJob(*text, run_folder.job().string(), {}, /*needs_to_run=*/false);
  if (!reading.job) return Error{ErrorCode::kInvalid, reading.problems.front().text()};
  RunRecord run;
  run.name = (folder / ".").lexically_normal().parent_path().filename();
  run.fields = fieldsOf(*reading.resolved);
  readMetrics(run_folder.output(), run);
  readResult(run_folder.output(), run);
  return run;
}

}  // namespace sumac::cli
