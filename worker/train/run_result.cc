#include "worker/train/run_result.h"

#include <nlohmann/json.hpp>

#include "common/base/rounded.h"
#include "common/base/version.h"

namespace sumac::worker {
namespace {

using nlohmann::ordered_json;

void addScores(ordered_json& json, const Scores& scores, bool is_text) {
  if (!is_text) {
    if (scores.test) json["testAccuracy"] = rounded(scores.test->accuracy);
    return;
  }
  if (scores.valid) json["validPerplexity"] = rounded(scores.valid->perplexity());
  if (scores.test) json["testPerplexity"] = rounded(scores.test->perplexity());
}

}  // namespace

std::string toJson(const RunResult& result) {
  ordered_json json{
      {"event", "result"},
      {"state", "Succeeded"},
      {"steps", result.steps},
      {"epochs", result.epochs},
      {"seconds", rounded(result.seconds)},
      {"samples", result.samples},
      {"samplesPerSecond", rounded(result.samples_per_second)},
      {"stepsPerSecond", rounded(result.steps_per_second)},
      {"batchesPerSecond", rounded(result.batches_per_second)},
      {"dataWaitSeconds", rounded(result.data_wait_seconds)},
      {"trainLoss", nullptr},
  };
  if (result.train_loss) json["trainLoss"] = rounded(*result.train_loss);
  addScores(json, result.scores, result.is_text);
  json["parametersSha256"] = result.parameters_sha256;
  json["logicalWorkers"] = result.logical_workers;
  json["workers"] = result.workers;
  json["servers"] = result.servers;
  json["numerics"] = result.numerics;
  json["seed"] = result.seed;
  json["version"] = kVersion;
  return json.dump();
}

std::string toJson(const EvaluationReport& report) {
  ordered_json json{
      {"event", "evaluation"},
      {"epoch", report.epoch},
      {"step", report.step},
  };
  addScores(json, report.scores, report.is_text);
  if (report.scores.valid) json["validLoss"] = rounded(report.scores.valid->loss);
  if (report.scores.test) json["testLoss"] = rounded(report.scores.test->loss);
  return json.dump();
}

}  // namespace sumac::worker
