#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/appended_file.h"
#include "base/core/bytes.h"
#include "base/core/result.h"
#include "base/core/step.h"
#include "base/core/wall_time.h"
#include "base/protobuf/message.h"
#include "job/tensorboard/scalars.h"

namespace sumac::tensorboard {

/// A file events.out.tfevents.SECONDS.sumac of a folder, which TensorBoard reads: the scalars of
/// one process, after those of the processes before it. Records are TFRecords (length, CRC-32C,
/// event, CRC-32C) of tensorflow.Event messages. Owned by who owns the folder's metrics.jsonl.
class EventFile {
 public:
  /// For training that goes on from step `last`, 0: begins. Touches nothing before append(). The
  /// clock outlives us.
  EventFile(std::filesystem::path folder, Step last, const WallClock& clock)
      : folder_(std::move(folder)), last_(last), clock_(&clock) {}

  /// Whether this is the name of such a file.
  static bool isOne(const std::filesystem::path& path);

  /// Appends an event. The first call takes from the folder's older files what is of later steps
  /// than `last`, and makes our own; it fails as errorCodeOf() says, and the next one tries again.
  /// Leaves out a scalar whose tag has the step, or a later one. Later calls do not allocate; they
  /// fail as AppendedFile::append().
  Result<void> append(Step step, std::span<const Scalar> scalars);

 private:
  Result<void> open();
  Result<void> cutOlder(const std::filesystem::path& path);
  Result<void> writeRecord(AppendedFile& file);
  void beginEvent(Step step);

  std::filesystem::path folder_;
  Step last_;
  const WallClock* clock_;
  std::optional<AppendedFile> file_;
  std::map<std::string, Step, std::less<>> newest_;  // step of each tag
  // Kept for their memory.
  protobuf::Message event_;
  protobuf::Message summary_;
  protobuf::Message value_;
  Bytes record_;
};

/// An event of such a file.
struct Event {
  Step step = 0;
  std::vector<std::pair<std::string, float>> scalars;
  bool is_start = false;  // training went on with this step
  std::size_t end = 0;    // of its record: bytes of the file until there
};

/// The events of a file, up to the first record that is cut short or damaged. The bytes are not
/// trusted.
std::vector<Event> eventsOf(BytesView file);

}  // namespace sumac::tensorboard
