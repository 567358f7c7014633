#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "common/base/result.h"
#include "common/base/step.h"
#include "common/base/wall_time.h"

namespace sumac {

/// How far a job is after a step, as its lowest worker says: what travels to the coordinator,
/// stands in metrics.jsonl, is answered at /progress and kept in a TrainingJob's status. Absent:
/// not known, or not finite. A value type that copies without allocating.
struct Progress {
  Step step = 0;                     // done last
  Step total_steps = 0;              // 0: not known
  std::int64_t epoch = 0;            // of that step, from 1; 0: not known
  std::optional<double> loss;        // mean since the last line of the curve
  std::optional<double> perplexity;  // of text: exp(loss)
  std::optional<double> learning_rate;
  std::optional<double> gradient_norm;       // before clipping
  std::optional<double> samples_per_second;  // of all workers, inside steps
  std::optional<double> batches_per_second;  // mini-batches of the whole job, inside steps
  std::optional<double> data_wait_seconds;   // that the worker has waited for samples
  std::optional<double> seconds;             // since the worker was let in
  std::optional<WallTime> last_update;       // when a status took this up

  bool operator==(const Progress&) const = default;

  /// Of all steps, rounded down, from 0 to 100; 0 while their number is not known.
  int percentage() const;
  /// To the end at the present speed, without evaluations and checkpoints.
  std::optional<std::int64_t> remainingSeconds() const;
};

/// One line of JSON, made without allocating: a worker writes one within a step.
class ProgressLine {
 public:
  /// `is_interim`: for those who ask how far the job is now, not for the curve.
  explicit ProgressLine(const Progress& progress, bool is_interim = false);

  std::string_view text() const { return {text_.data(), size_}; }

 private:
  void put(std::string_view text);
  void putInteger(const char* name, std::int64_t value);
  void putNumber(const char* name, std::optional<double> value);

  std::array<char, 1024> text_{};
  std::size_t size_ = 0;
};

/// The same as a text of its own.
std::string toLine(const Progress& progress, bool is_interim = false);

/// What /progress and a status say: numbers as numbers, decimals as text, without what only the
/// curve has.
nlohmann::ordered_json toStatusJson(const Progress& progress);

/// Reads either form, decimals as numbers or as text. Fails with kInvalid, naming the field, when a
/// step, the number of steps or the epoch is not a whole number that every JSON reader has exactly;
/// decimals that are none are absent.
Result<Progress> progressFromJson(const nlohmann::json& object);

/// A decimal as a status holds it: at most 32 characters, exponents of two digits; empty for what
/// it cannot hold.
std::string decimalText(std::optional<double> value);

}  // namespace sumac
