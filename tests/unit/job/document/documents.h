#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "job/document/job.h"

namespace sumac::job {

inline constexpr std::string_view kLenet = R"(apiVersion: sumac.dev/v1alpha1
kind: TrainingJob
metadata:
  name: lenet5-fashion
spec:
  model: {name: lenet5}
  data: {name: fashion-mnist-mini}
  training:
    batchSize: 128
    epochs: 5
    logicalWorkers: 4
    optimizer: {name: sgd, learningRate: "0.1", momentum: "0.9"}
    clip: {globalNorm: "5"}
  worker: {replicas: 2}
  server: {replicas: 1}
)";

/// `text` with its only `what` replaced by `with`.
inline std::string replaced(std::string_view text, std::string_view what, std::string_view with) {
  const auto at = text.find(what);
  BOOST_TEST_REQUIRE(at != text.npos);
  return std::string(text.substr(0, at)) + std::string(with) +
         std::string(text.substr(at + what.size()));
}

/// Where the problems are, one a line: "14:22 spec.worker.replicas", or without a position where
/// they came from a flag.
inline std::string placesOf(const std::vector<Problem>& problems) {
  std::string places;
  for (const Problem& problem : problems) {
    if (problem.line > 0)
      places += std::to_string(problem.line) + ":" + std::to_string(problem.column);
    if (problem.line > 0 && !problem.path.empty()) places += " ";
    places += problem.path + "\n";
  }
  return places;
}

}  // namespace sumac::job
