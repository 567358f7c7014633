#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/core/result.h"
#include "base/core/step.h"
#include "base/core/wall_time.h"
#include "job/progress/emulated_computing.h"
#include "job/progress/noise_scale.h"
#include "job/progress/worker_times.h"

namespace sumac {

/// What a complete job says of itself, as worker 0 knows it: result.json, the termination
/// message of its members, the result in a TrainingJob's status. docs/results.md explains each
/// field. Absent: not known. A value type.
struct JobResult {
  /// What was trained, and with what.
  struct Setting {
    std::string job;
    std::string model;
    std::string topology;
    std::int64_t batch_size = 0;  // of the whole job
    int logical_workers = 0;
    int workers = 0;
    int servers = 0;
    int threads = 0;       // compute threads of worker 0
    std::string kernels;   // instruction set of worker 0
    std::string numerics;  // what fixes the bits besides the job
    std::string cpu;       // model name of worker 0's processor
    std::uint64_t seed = 0;
    std::string version;

    bool operator==(const Setting&) const = default;
  };

  /// How the workers of an all-reduce exchanged.
  struct AllReduce {
    using Numbers = std::vector<std::pair<std::string, double>>;  // by name, in order

    /// What `algorithm: auto` was decided by (exchange/membership/method_choice.h).
    struct Choice {
      bool is_resumed = false;  // it is the checkpoint's
      int links = 0;            // that were measured
      Numbers costs = {};       // seconds
      Numbers predicted = {};   // seconds an exchange, by algorithm

      bool operator==(const Choice&) const = default;
    };

    std::string algorithm;  // empty: the job is of another kind
    std::optional<Choice> choice = {};

    bool operator==(const AllReduce&) const = default;
  };

  /// Where worker 0's time went, in seconds. They add up to `seconds`, except for moments
  /// between them.
  struct Split {
    double compute = 0;    // gradients of its parts, and updates
    double sum_wait = 0;   // for the sums, after its own gradients were computed
    double data_wait = 0;  // for samples
    double evaluation = 0;
    double checkpoint = 0;

    bool operator==(const Split&) const = default;
  };

  Setting setting;
  AllReduce all_reduce;
  /// Workers waited instead of computing: nothing was learned, and there is no hash or accuracy.
  bool is_emulated = false;
  std::optional<EmulatedComputing> emulated_computing = {};  // of the worker that writes
  Step steps = 0;
  std::int64_t epochs = 0;
  std::optional<double> loss;  // of the last mini-batch
  std::optional<double> valid_accuracy;
  std::optional<double> test_accuracy;
  std::optional<double> valid_perplexity;
  std::optional<double> test_perplexity;
  std::optional<NoiseScale> noise_scale;  // where it is estimated
  std::string parameters_sha256;
  std::string model_path;  // empty: not written
  std::string unkept;      // why the last step's checkpoint was not written; empty: it was
  std::optional<WallTime> started;
  std::optional<WallTime> ended;
  std::optional<double> seconds;  // from being let in to the end, of the last attempt
  std::optional<double> samples_per_second;
  std::optional<double> batches_per_second;
  Split split;
  std::vector<WorkerTimes> worker_times;  // of workers 0 to 255, by index
  std::uint64_t sent_bytes = 0;           // by worker 0
  std::uint64_t received_bytes = 0;

  bool operator==(const JobResult&) const = default;
};

/// Whole, on one line with "event" first, as metrics.jsonl has it.
std::string toLine(const JobResult& result);

/// Whole, indented: result.json.
std::string toFile(const JobResult& result);

/// What members leave as termination message: what a status needs and what tells results apart, at
/// most 1,024 bytes. A model path that does not fit is left out.
std::string toMessage(const JobResult& result);

/// What a status says: decimals as text.
nlohmann::ordered_json toStatusJson(const JobResult& result);

/// Reads from any of these forms what a message holds, as far as it is there. Fails with kInvalid,
/// naming the field; so does the end of a job that did not succeed.
Result<JobResult> jobResultFromJson(const nlohmann::json& object);

/// Reads a member's termination message. Fails with kInvalid when it is not a result: then the job
/// is not complete.
Result<JobResult> jobResultFromMessage(const std::string& message);

}  // namespace sumac
