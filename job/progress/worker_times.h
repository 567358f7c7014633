#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace sumac {

/// Where one worker's time went, in seconds since it was let in. A value type.
struct WorkerTimes {
  int worker = 0;  // its index
  double seconds = 0;
  double gradients = 0;  // computing those of its parts
  double sum_wait = 0;   // waiting for sums: after its own gradients, or in the next pass
  double data_wait = 0;  // waiting for samples
  double updates = 0;    // of the weights

  /// Evaluations, checkpoints and what lies between.
  double other() const;

  bool operator==(const WorkerTimes&) const = default;
};

/// A larger job keeps those of workers 0 to 255.
inline constexpr std::size_t kMostWorkerTimes = 256;

/// A JSON array; of more than kMostWorkerTimes the first.
nlohmann::ordered_json toJson(std::span<const WorkerTimes> times);
std::string toText(std::span<const WorkerTimes> times);

/// Reads any value; what is not the times of a worker is left out, and what is beyond
/// kMostWorkerTimes.
std::vector<WorkerTimes> workerTimesFrom(const nlohmann::json& array);
/// The same of any text, which may be empty.
std::vector<WorkerTimes> workerTimesFromText(std::string_view text);

}  // namespace sumac
