#include "libsumac/settings.h"

#include <charconv>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/core/slot.h"
#include "base/process/member_flags.h"
#include "job/document/job_file.h"

namespace sumac::program {
namespace {

namespace flags = member_flags;

constexpr std::int64_t kEverySteps = 500;
constexpr std::int64_t kEverySeconds = 60;

/// Takes variables out of the environment; keeps the first that is wrong.
class Reader {
 public:
  explicit Reader(const Environment& environment) : environment_(environment) {}

  void text(const Flag& flag, std::string& out) {
    if (const char* const value = environment_(flag.variable)) out = value;
  }
  void number(const Flag& flag, int lowest, int highest, int& out) {
    const char* const value = environment_(flag.variable);
    if (value == nullptr) return;
    const std::string_view digits(value);
    int read = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), read);
    const bool is_number = error == std::errc() && end == digits.data() + digits.size();
    if (is_number && lowest <= read && read <= highest) {
      out = read;
    } else if (!error_) {
      error_ =
          Error{ErrorCode::kInvalid, std::string(flag.variable) + " is \"" + value +
                                         "\": it must be a whole number from " +
                                         std::to_string(lowest) + " to " + std::to_string(highest)};
    }
  }
  void flag(const Flag& flag, bool& out) {
    const char* const value = environment_(flag.variable);
    if (value == nullptr) return;
    const std::string_view word(value);
    if (word == "true" || word == "false") {
      out = word == "true";
    } else if (!error_) {
      error_ = Error{ErrorCode::kInvalid, std::string(flag.variable) + " is \"" + value +
                                              "\": it must be true or false"};
    }
  }
  void level(const Flag& flag, LogLevel& out) {
    const char* const value = environment_(flag.variable);
    if (value == nullptr) return;
    const auto level = logLevelFromName(value);
    if (level) out = *level;
    if (!level && !error_) error_ = level.error().within(flag.variable);
  }

  const std::optional<Error>& error() const { return error_; }

 private:
  const Environment& environment_;  // outlives us
  std::optional<Error> error_;
};

/// The job of a program that is alone.
job::TrainingJob jobOf(const Options& options) {
  job::TrainingJob job;
  job.name = "program";
  job.program = job::ProgramSpec();
  job.training.batch_size = options.batch_size;
  job.training.logical_workers = options.parts;
  job.training.seed = options.seed;
  job.training.steps = options.steps;
  if (!options.steps) job.training.epochs = options.epochs.value_or(1);
  job.strategy.method = ExchangeMethod::kDirect;
  job.server.replicas = 0;
  job.transport = job::Transport::kNone;
  const bool is_default = options.checkpoint_steps == 0;
  job.checkpoint.every_steps = is_default ? kEverySteps : options.checkpoint_steps;
  job.checkpoint.every_seconds = is_default ? kEverySeconds : 0;
  return job;
}

Result<job::TrainingJob> readJob(const std::string& file, int workers) {
  auto job = job::readJobFile(file, workers > 0 ? std::optional(workers) : std::nullopt);
  if (!job) return job.error().within(flags::kJob.variable);
  if (!job->program) {
    return Error{ErrorCode::kInvalid, std::string(flags::kJob.variable) + ": " + file +
                                          " trains a network, and has no spec.program: "
                                          "sumac-worker trains it"};
  }
  return job;
}

/// The token is a Secret's, which may not be mounted.
Result<std::string> readToken() {
  try {
    return flags::jobToken();
  } catch (const std::runtime_error& failure) {
    return Error{ErrorCode::kInvalid, failure.what()};
  }
}

Result<void> readMember(Settings& settings, const Environment& environment, int& workers) {
  constexpr int kMost = std::numeric_limits<int>::max();
  Reader reader(environment);
  settings.index = -1;
  reader.number(flags::kIndex, 0, kLargestIndex, settings.index);
  reader.number(flags::kWorkers, 1, kLargestIndex + 1, workers);
  reader.text(flags::kCoordinator, settings.coordinator);
  reader.text(flags::kListen, settings.listen);
  reader.text(flags::kAttempt, settings.attempt);
  reader.text(flags::kKeys, settings.keys_folder);
  reader.text(flags::kStatusListen, settings.status_listen);
  reader.text(flags::kTerminationFile, settings.termination_file);
  reader.text(flags::kCode, settings.code_folder);
  reader.text(flags::kKernels, settings.kernels);
  reader.text(flags::kJobUid, settings.job_uid);
  reader.text(flags::kJobNamespace, settings.job_namespace);
  reader.flag(flags::kElastic, settings.is_elastic);
  reader.number(flags::kOrphanSeconds, 1, flags::kMostOrphanSeconds, settings.orphan_seconds);
  reader.number(flags::kFlappingSeconds, 0, flags::kMostFlappingSeconds, settings.flapping_seconds);
  reader.number(flags::kReadyFd, 0, kMost, settings.ready_fd);
  reader.number(flags::kProgressFd, 0, kMost, settings.progress_fd);
  if (reader.error()) return *reader.error();
  if (settings.index < 0) {
    return Error{ErrorCode::kInvalid,
                 std::string(flags::kIndex.variable) + " is missing: the number of this worker"};
  }
  return {};
}

}  // namespace

Result<Settings> readSettings(const Options& options, const Environment& environment) {
  Settings settings;
  Reader reader(environment);
  std::string file;
  reader.text(flags::kJob, file);
  reader.text(flags::kOutput, settings.output_folder);
  reader.text(flags::kCheckpoint, settings.checkpoint_folder);
  reader.level(flags::kLogLevel, settings.log_level);
  settings.writes_tensorboard = file.empty();
  reader.flag(flags::kTensorBoard, settings.writes_tensorboard);
  if (reader.error()) return *reader.error();
  if (!options.output.empty()) settings.output_folder = options.output;
  if (!options.checkpoint.empty()) settings.checkpoint_folder = options.checkpoint;
  if (file.empty()) {
    settings.is_alone = true;
    settings.job = jobOf(options);
    return settings;
  }
  int workers = 0;
  if (auto read = readMember(settings, environment, workers); !read) return read.error();
  auto token = readToken();
  if (!token) return token.error();
  settings.token = *std::move(token);
  auto job = readJob(file, workers);
  if (!job) return job.error();
  settings.job = *std::move(job);
  if (settings.job.writes_tensorboard)
    settings.writes_tensorboard = *settings.job.writes_tensorboard;
  return settings;
}

}  // namespace sumac::program
