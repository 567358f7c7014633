#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>

#include "base/core/result.h"
#include "base/core/slot.h"
#include "base/trace/recorder.h"

namespace sumac::trace {

/// The file in `folder` for what one process recorded: "worker-1.trace".
std::filesystem::path partFile(const std::filesystem::path& folder, Slot slot);

/// Writes what one process recorded as a file of Chrome's trace event format, one event a line, in
/// the coordinator's time. It can be looked at alone, and be joined with those of the other
/// processes. Fails with kUnavailable, leaving no file, when the disk is full.
Result<void> writePart(const std::filesystem::path& file, Slot self,
                       const Recorder::Content& content);

/// What a part says of itself.
struct Part {
  std::string description;         // its otherData, a JSON object
  std::optional<StepRange> steps;  // that were done by the process; of a worker
  std::uint64_t dropped = 0;       // spans that there was no room for
  bool is_aligned = false;         // its times are of the coordinator's clock
  bool is_complete = false;        // nothing was cut off
};

/// Reads a part, passing each event's line to `onEvent`, without a comma. Reads any bytes: an event
/// that is none ends the part. Fails with kNotFound where there is no file, and with kInvalid where
/// it does not begin like a part.
Result<Part> readPart(const std::filesystem::path& file,
                      const std::function<void(const std::string& event)>& onEvent);

/// A trace file that is written event by event; removed where it did not become complete.
class EventsFile {
 public:
  /// Creates or replaces `path`.
  explicit EventsFile(std::filesystem::path path);
  ~EventsFile();
  EventsFile(const EventsFile&) = delete;
  EventsFile& operator=(const EventsFile&) = delete;

  /// One JSON object, without line breaks.
  void add(const std::string& event);
  /// Ends the file; `description` is a JSON object. Fails with kUnavailable where anything could
  /// not be written.
  Result<void> complete(const std::string& description);

 private:
  void noteFailure();

  std::filesystem::path path_;
  std::ofstream out_;
  int failure_ = 0;  // errno of the first write that failed
  bool has_events_ = false;
  bool is_complete_ = false;
};

}  // namespace sumac::trace
