#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/core/result.h"
#include "base/core/step.h"

namespace sumac::cli {

/// What a run is judged by, and over which steps it is measured.
enum class Measure {
  kTrainLoss,
  kValidationLoss,
  kValidationAccuracy,
  kValidationPerplexity,
  kTestLoss,
  kTestAccuracy,
  kTestPerplexity
};

/// "validation accuracy".
std::string_view toString(Measure measure);
/// As in metrics of jobs: "validationAccuracy".
std::string_view keyOf(Measure measure);
bool isAccuracy(Measure measure);

/// What a run's folder says of it. A value type.
struct RunRecord {
  using Curve = std::map<Step, double>;
  using Fields = std::vector<std::pair<std::string, std::string>>;

  std::string name;  // of the folder
  Fields fields;     // of its job, below spec, in the order of the document
  bool is_text = false;
  std::map<Measure, Curve> curves{};  // without empty ones
  std::string state;                  // "Succeeded", "Failed", "Stopped", "Unfinished"
  std::string cause{};                // of a failure or a stop
  Step steps = 0;                     // that are done
  std::optional<double> seconds{};
  std::optional<double> samples_per_second{};
  std::string parameters_sha256{};
  bool is_emulated = false;
};

/// Reads the folder of a run: job.yaml, metrics.jsonl and result.json. Their bytes are not trusted.
/// Fails with kNotFound where the folder is not there or not of a run, with kInvalid where its
/// job.yaml cannot be read.
Result<RunRecord> readRun(const std::filesystem::path& folder);

/// The fields of a JSON document's part below "spec": "training.batchSize" with its value as text.
RunRecord::Fields fieldsOf(const nlohmann::ordered_json& job);

}  // namespace sumac::cli
