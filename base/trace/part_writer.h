#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "base/core/clock.h"
#include "base/core/slot.h"
#include "base/log/log.h"
#include "base/trace/recorder.h"

namespace sumac::trace {

/// What a process is asked to trace, as its command line says.
struct TraceOptions {
  std::string steps;             // "10:20"; empty: none
  std::filesystem::path folder;  // for the part's file; empty: the current one
};

/// Records, and writes the part's file once the steps are over or, where they do not come to an
/// end, when it is destroyed; on a thread of its own, so that nobody waits for a disk. A file that
/// cannot be written is logged as a warning, and training goes on.
class PartWriter {
 public:
  /// `clock` outlives us.
  PartWriter(const StepRange& steps, Slot self, std::filesystem::path folder, const Clock& clock,
             const Log& log);
  ~PartWriter();
  PartWriter(const PartWriter&) = delete;
  PartWriter& operator=(const PartWriter&) = delete;

  /// As the options say; null where nothing is to be traced. Requires checked steps.
  static std::unique_ptr<PartWriter> start(const TraceOptions& options, Slot self,
                                           const Clock& clock, const Log& log);

  Recorder& recorder() { return recorder_; }

 private:
  void run();

  const Slot self_;
  const std::filesystem::path file_;
  const Log log_;
  Recorder recorder_;
  std::jthread thread_;  // last: ends before what it uses
};

/// The recorder of a writer that may be null.
inline Recorder* recorderOf(const std::unique_ptr<PartWriter>& writer) {
  return writer ? &writer->recorder() : nullptr;
}

}  // namespace sumac::trace
