#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/core/result.h"
#include "base/core/slot.h"
#include "exchange/membership/roster.h"

namespace sumac::worker {

/// Who writes into a folder: the content of its file `writer`.
struct Writer {
  std::string job;            // uid of the TrainingJob; empty: not known
  std::uint64_t attempt = 0;  // of that job
  RosterOrder order;          // of the roster that names the writer
  Member member;

  bool operator==(const Writer&) const = default;
};

std::string toLine(const Writer& writer);
/// Nothing unless it is what toLine() writes: the line is not trusted.
std::optional<Writer> writerFromLine(std::string_view line);

/// The file's name in a folder of checkpoints, where other jobs may keep theirs, too: `owner` as in
/// checkpoint::WriteOptions. Without it, that in the output folder.
std::string writerFileOf(const std::string& owner = {});

/// Keeps a folder to one writer, where members change: one that was taken for lost, and lives on
/// behind a network that is cut, still reaches a shared volume. Whoever the newest roster names
/// puts its name into a file of the folder, and the one before finds it there. It locks nothing, so
/// it works on any volume: between a look and a write somebody else may become the writer, whose
/// next look shows it. Owned by the trainer's thread.
class WriterFence {
 public:
  /// In `folder`, the file `name`, for `self`; its order comes with each call.
  WriterFence(const std::filesystem::path& folder, const std::string& name, Writer self)
      : path_(folder / name), self_(std::move(self)) {}

  /// The writer that the file names; none if there is no file, or one with other content.
  /// Fails as errorCodeOf() says.
  Result<std::optional<Writer>> holder() const;

  /// Call before each write, as the writer of the roster `order`: makes the file name this process.
  /// Fails with kStale where another process wrote there by a later attempt or roster, or by
  /// this very one, and as errorCodeOf() says where that cannot be known.
  Result<void> hold(RosterOrder order);
  /// The same for a worker that writes once in the writer's place: the file may name any writer of
  /// this roster, and stays as it is.
  Result<void> check(RosterOrder order);

 private:
  bool isAfterUs(const Writer& other, bool by_this_roster) const;
  Error stale(const Writer& other) const;
  Result<void> put() const;

  std::filesystem::path path_;
  Writer self_;
  bool has_held_ = false;  // then another job's name is a later one
};

}  // namespace sumac::worker
