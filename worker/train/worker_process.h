#pragma once

#include <optional>
#include <string>

#include "base/process/log_flags.h"
#include "base/trace/part_writer.h"

namespace sumac::worker {

/// A worker that waits for as long as computing takes, instead of computing.
struct Emulation {
  std::string folder;            // for what a step is measured to take
  std::string profile;           // a file that says what a step takes: nothing is measured then
  double slowdown = 1;           // it takes so many times as long
  std::string slow_folder = {};  // its file slow-<index> says how many times more; empty: 1

  /// Without both the worker computes.
  bool isOn() const { return !folder.empty() || !profile.empty(); }
};

/// The command line of sumac-worker, with the environment below it.
struct WorkerOptions {
  std::string job_file;
  int index = -1;
  std::string coordinator;                   // empty: for worker 0 of a job without servers
  std::string listen = "tcp://127.0.0.1:0";  // where other workers connect
  std::string attempt = "0";
  std::optional<int> workers;       // instead of the document's
  bool is_elastic = false;          // members may change, where the job allows it
  bool writes_tensorboard = false;  // where the job does not say
  int orphan_seconds = 300;         // then it waits so long for another coordinator
  int flapping_seconds = 60;        // then a slot that is lost again and again waits so long
  int local_workers = 1;            // of the job on this machine, which share its processors
  std::string keys_folder;
  std::string output_folder;
  std::string checkpoint_folder;
  std::string data_folder;
  std::string packed_data;  // what the job's data were packed into; empty: they were not
  std::string termination_file;
  std::string kernels;  // the best instruction set to use; empty: the machine's best
  LogFlags log;
  trace::TraceOptions trace;
  std::string status_listen;  // HOST:PORT for health and metrics; empty: none
  std::string job_uid;        // of the TrainingJob, for /progress
  std::string job_namespace;  // of the TrainingJob, for whose the output is; empty: not known
  int ready_fd = -1;          // gets the endpoint once it listens
  int progress_fd = -1;       // of the coordinator: gets JSON lines
  Emulation emulation;
  bool exchange_only = false;  // train nothing: exchange synthetic values and measure that
};

/// Runs one worker, from reading the job to the end of its process, and returns the exit status. It
/// is the root of the main thread: it logs why the worker ended and writes the termination message.
/// Call it once, before any other thread exists: it takes over SIGTERM and SIGINT.
int runWorker(const WorkerOptions& options);

}  // namespace sumac::worker
