#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/core/result.h"
#include "base/core/step.h"
#include "base/core/wall_time.h"
#include "job/progress/noise_scale.h"

namespace sumac {

/// A worker that takes longer for a part than the others, who wait for it.
struct Straggler {
  int worker = 0;       // its index
  double slowdown = 1;  // the time of a part, over the median of the others'

  bool operator==(const Straggler&) const = default;
};

/// How far a job is after a step, reported by worker 0: sent to the coordinator, written
/// to metrics.jsonl, served at /progress and kept in a TrainingJob's status. A field without a
/// value is not known, or not finite. A value type that copies without allocating.
struct Progress {
  Step step = 0;                     // the last one completed
  Step total_steps = 0;              // 0: not known
  std::int64_t epoch = 0;            // of that step, from 1; 0: not known
  std::optional<double> loss;        // mean since the last line of metrics.jsonl
  std::optional<double> perplexity;  // of text: exp(loss)
  std::optional<double> learning_rate;
  std::optional<double> gradient_norm;       // before clipping
  std::optional<NoiseScale> noise_scale;     // where it is estimated
  std::optional<double> samples_per_second;  // of all workers, inside steps
  std::optional<double> batches_per_second;  // mini-batches of the whole job, inside steps
  // Of the worker so far, since it joined.
  std::optional<double> gradient_seconds;   // computing gradients
  std::optional<double> update_seconds;     // updating parameters
  std::optional<double> sum_wait_seconds;   // waiting for sums
  std::optional<double> data_wait_seconds;  // waiting for samples
  std::optional<double> seconds;            // in all
  // Told by the coordinator, not in metrics.jsonl.
  std::optional<Step> checkpoint;       // the newest that is complete
  std::optional<Step> skipped;          // that could not be kept, the first since that one
  std::optional<WallTime> last_update;  // when the status was updated
  std::optional<Straggler> straggler;   // the slowest worker, if it slows the others

  bool operator==(const Progress&) const = default;

  /// Of all steps, rounded down, from 0 to 100; 0 while their number is not known.
  int percentage() const;
  /// To the end at the present speed, without evaluations and checkpoints.
  std::optional<std::int64_t> remainingSeconds() const;
};

/// One line of JSON, made without allocating: a worker writes one within a step.
class ProgressLine {
 public:
  /// `is_interim`: only for display, not written to metrics.jsonl.
  explicit ProgressLine(const Progress& progress, bool is_interim = false);

  std::string_view text() const { return {text_.data(), size_}; }

 private:
  void put(std::string_view text);
  void putInteger(const char* name, std::int64_t value);
  void putNumber(const char* name, std::optional<double> value);

  std::array<char, 1024> text_{};
  std::size_t size_ = 0;
};

/// The same line as a string.
std::string toLine(const Progress& progress, bool is_interim = false);

/// The fields of /progress and of a status: integers as numbers, decimals as text, without those
/// that only metrics.jsonl has.
nlohmann::ordered_json toStatusJson(const Progress& progress);

/// Adds what the coordinator has found to a worker's line, in place of what that says.
void putStraggler(nlohmann::json& line, const std::optional<Straggler>& straggler);

/// Reads either form, decimals as numbers or as text. Fails with kInvalid, naming the field, if a
/// step, the number of steps or the epoch is not an integer from 0 to 2^52, which every JSON reader
/// holds exactly. A decimal that cannot be read is left out.
Result<Progress> progressFromJson(const nlohmann::json& object);

/// A decimal as text for a status: at most 32 characters, exponents of two digits; empty if there
/// is no value or the text would be longer.
std::string decimalText(std::optional<double> value);

}  // namespace sumac
