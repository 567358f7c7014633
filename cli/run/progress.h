#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/base/result.h"
#include "common/base/step.h"

namespace sumac::cli {

/// Where the job stands. Numbers that a line does not give, or gives as null (a loss that is not
/// finite), are absent.
struct Progress {
  Step step = 0;
  std::optional<Step> total_steps;
  std::optional<std::int64_t> epoch;
  std::optional<double> loss;
  std::optional<double> perplexity;  // of text
  std::optional<double> samples_per_second;
  std::optional<double> seconds;
};

/// Of images accuracy and loss; of text the perplexities there are.
struct Evaluation {
  Step step = 0;
  std::optional<std::int64_t> epoch;
  std::optional<double> accuracy;
  std::optional<double> loss;
  std::optional<double> valid_perplexity;
  std::optional<double> test_perplexity;
};

/// A complete checkpoint of this step is on disk.
struct CheckpointWritten {
  Step step = 0;
};

/// The job is done; the line itself is the result, as JSON.
struct Finished {
  std::string json;
};

using Event = std::variant<Progress, Evaluation, CheckpointWritten, Finished>;

/// One line of a progress pipe. Fails with kInvalid on anything else: the line is not trusted.
Result<Event> parseEvent(std::string_view line);

/// Cuts a stream into lines. A line longer than `limit` is dropped as a whole and counted; memory
/// stays bounded whatever comes.
class LineReader {
 public:
  explicit LineReader(std::size_t limit) : limit_(limit) {}

  /// The lines that `bytes` completes, without their newlines.
  std::vector<std::string> feed(std::string_view bytes);

  std::int64_t dropped() const { return dropped_; }

 private:
  const std::size_t limit_;
  std::string partial_;
  bool skipping_ = false;  // within a line that is too long
  std::int64_t dropped_ = 0;
};

}  // namespace sumac::cli
