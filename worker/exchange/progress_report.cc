#include "worker/exchange/progress_report.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "common/base/rounded.h"

namespace sumac::worker {

std::string toJson(const ProgressReport& report) {
  nlohmann::ordered_json json{
      {"event", report.is_interim ? "interim" : "progress"},
      {"step", report.step},
      {"totalSteps", report.total_steps},
      {"epoch", report.epoch},
      {"loss", rounded(report.loss)},
  };
  if (report.is_text) json["perplexity"] = rounded(std::exp(report.loss));
  json["learningRate"] = rounded(report.learning_rate);
  json["gradientNorm"] = rounded(report.gradient_norm);
  json["samplesPerSecond"] = rounded(report.samples_per_second);
  json["dataWaitSeconds"] = rounded(report.data_wait_seconds);
  json["seconds"] = rounded(report.seconds);
  return json.dump();
}

}  // namespace sumac::worker
