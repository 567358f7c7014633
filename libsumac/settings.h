#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/core/result.h"
#include "base/log/log.h"
#include "job/document/training_job.h"

namespace sumac::program {

/// The options of sumac_open(): what a program trains where there is no job's document.
struct Options {
  std::int64_t batch_size = 64;
  int parts = 1;
  std::optional<std::int64_t> steps;
  std::optional<std::int64_t> epochs;
  std::uint64_t seed = 1;
  std::string output;  // folders; empty: the environment's
  std::string checkpoint;
  std::int64_t checkpoint_steps = 0;  // 0: every 500 steps or 60 seconds
};

/// Which job a program is a worker of, and as which member. A value type.
struct Settings {
  job::TrainingJob job;
  bool is_alone = false;  // no document: one worker, without a socket
  int index = 0;
  std::string coordinator;  // empty: this member
  std::string listen = "tcp://127.0.0.1:0";
  std::string attempt = "0";
  std::string token;
  std::string keys_folder;
  std::string status_listen;
  std::string code_folder = ".";  // with the sources of spec.program.code
  std::string output_folder;
  std::string checkpoint_folder;
  std::string termination_file;
  std::string kernels;
  std::string job_uid;
  std::string job_namespace;
  bool is_elastic = false;
  bool writes_tensorboard = false;  // into the output folder
  int orphan_seconds = 300;
  int flapping_seconds = 60;
  int ready_fd = -1;
  int progress_fd = -1;
  LogLevel log_level = LogLevel::kInfo;
};

/// The value of an environment variable; null where it is not set.
using Environment = std::function<const char*(const char* name)>;

/// Reads the variables of base/process/member_flags.h and the job's document. Fails with what is
/// wrong, naming the variable.
Result<Settings> readSettings(const Options& options, const Environment& environment);

}  // namespace sumac::program
