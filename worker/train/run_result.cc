#include "worker/train/run_result.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "common/base/version.h"

namespace sumac::worker {
namespace {

/// Six significant digits: enough to read, and it keeps a termination message short.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double scale = std::pow(10.0, 5 - std::floor(std::log10(std::fabs(value))));
  return std::round(value * scale) / scale;
}

}  // namespace

std::string toJson(const RunResult& result) {
  const nlohmann::ordered_json json{
      {"event", "result"},
      {"state", "Succeeded"},
      {"steps", result.steps},
      {"epochs", result.epochs},
      {"seconds", rounded(result.seconds)},
      {"samples", result.samples},
      {"samplesPerSecond", rounded(result.samples_per_second)},
      {"stepsPerSecond", rounded(result.steps_per_second)},
      {"batchesPerSecond", rounded(result.batches_per_second)},
      {"trainLoss", result.train_loss ? nlohmann::ordered_json(rounded(*result.train_loss))
                                      : nlohmann::ordered_json()},
      {"testAccuracy", rounded(result.test_accuracy)},
      {"parametersSha256", result.parameters_sha256},
      {"logicalWorkers", result.logical_workers},
      {"workers", result.workers},
      {"servers", result.servers},
      {"numerics", result.numerics},
      {"seed", result.seed},
      {"version", kVersion},
  };
  return json.dump();
}

std::string toJson(const ProgressReport& report) {
  const nlohmann::ordered_json json{
      {"event", "progress"},
      {"step", report.step},
      {"totalSteps", report.total_steps},
      {"epoch", report.epoch},
      {"loss", rounded(report.loss)},
      {"learningRate", rounded(report.learning_rate)},
      {"gradientNorm", rounded(report.gradient_norm)},
      {"samplesPerSecond", rounded(report.samples_per_second)},
      {"seconds", rounded(report.seconds)},
  };
  return json.dump();
}

std::string toJson(const EvaluationReport& report) {
  const nlohmann::ordered_json json{
      {"event", "evaluation"},
      {"epoch", report.epoch},
      {"step", report.step},
      {"testAccuracy", rounded(report.test_accuracy)},
      {"testLoss", rounded(report.test_loss)},
  };
  return json.dump();
}

}  // namespace sumac::worker
