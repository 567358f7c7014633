#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "base/core/slot.h"
#include "base/core/step.h"
#include "base/core/work_count.h"
#include "job/model/network.h"

namespace sumac::checkpoint {

/// Everything that a job needs to resume after step `step` with the same bits.
struct State {
  Step step = 0;
  std::uint32_t term = 1;
  std::vector<float> weights;  // plan order
  std::map<std::string, std::vector<float>>
      optimizer;  // "momentum" -> plan order, one value per parameter
  // Part state after the step (ExchangePlan), empty if the network has none.
  std::vector<float> recurrent;
  std::vector<float> statistics;
  std::string plan_hash;  // of all that the bits depend on: job, data, V, numerics
  std::string numerics;   // kernel variant, build
  // What spec.strategy.algorithm `auto` stood for, and for how many workers; empty: it was not
  // `auto`. The bits do not depend on it.
  std::string algorithm = {};
  int workers = 0;
  // The "key=value" lines that plan_hash is made of; restore() leaves them out, originOf() has
  // them.
  std::string plan_lines = {};
};

struct WriteOptions {
  int keep = 3;            // complete checkpoints that stay
  Incarnation writer = 0;  // names the files until they are complete; no other process has it
  // Whose attempt it is, letters and digits, for removeUnfinishedOf(); empty: nobody asks.
  std::string owner = {};
  WorkCount* work = nullptr;  // counts what is written; null: nobody looks
};

struct Content;  // content.h

/// A checkpoint that has all its files but the manifest, so nobody takes it for one: it can still
/// be given up. Removes its files unless it is completed.
///
/// The files are `folder`/step-<s>-<term>/ {model.safetensors, optimizer.safetensors,
/// state.safetensors where there is part state, program.json of a program, job.txt with the plan's
/// lines, manifest.json}. They are made in a folder of the writer's own, which gets that name when
/// they are complete, so that processes that share `folder` never touch each other's work. A
/// damaged checkpoint of the name is replaced, as is what a writer abandoned a day ago; another
/// process's complete one stays, and where that is another job's (its plan_hash differs), ours gets
/// the next term that is free.
class Draft {
 public:
  /// Makes the files durable. Fails with kUnavailable (disk full: the message names the file; or
  /// what is there cannot be read) and with kConflict (it holds something else).
  static Result<Draft> make(const std::filesystem::path& folder, const model::Network& network,
                            const State& state, const WriteOptions& options);
  /// The same with files that are in memory.
  static Result<Draft> make(const std::filesystem::path& folder, const Content& content,
                            const WriteOptions& options);
  ~Draft();
  Draft(Draft&& other) noexcept;
  Draft& operator=(Draft&& other) = delete;

  /// Makes it a checkpoint, durable, and removes complete ones of this job beyond the newest
  /// `keep`. Returns its folder. Fails as make() does. Call once.
  Result<std::filesystem::path> complete();

 private:
  struct Partial;
  explicit Draft(std::unique_ptr<Partial> partial);

  std::unique_ptr<Partial> partial_;
};

/// Makes a draft and completes it.
Result<std::filesystem::path> write(const std::filesystem::path& folder,
                                    const model::Network& network, const State& state,
                                    const WriteOptions& options);

/// Removes what writers that were killed have left. Requires that none is at work in `folder`.
void removeUnfinished(const std::filesystem::path& folder);

/// Removes what writers of `owner` (WriteOptions) have left that were killed. Requires that none of
/// them is at work; others may be.
void removeUnfinishedOf(const std::filesystem::path& folder, const std::string& owner);

/// Makes room for the checkpoint of `step`: removes the oldest complete ones of `plan_hash` before
/// it, as many as hold `bytes` together. The newest complete one stays; where the others do not
/// suffice, all stay. Returns the folders that are gone.
std::vector<std::filesystem::path> removeOldest(const std::filesystem::path& folder, Step step,
                                                std::uintmax_t bytes, const std::string& plan_hash);

/// What newest() reads of a checkpoint: all its files, or the manifest alone, which is written
/// last. That is enough for a worker that does not resume from the files.
enum class Reads { kFiles, kManifests };

/// The newest step with a complete, undamaged checkpoint; nothing if there is none. Skips those
/// that are damaged or of a later version's format, each with a line in `warnings` that names the
/// file. With a `plan_hash`, skips those of other jobs the same way, unless it finds no other: that
/// they are in the folder is for the caller to refuse. Fails with kUnavailable or kDenied if one
/// cannot be read: it may be whole. Fails with kUnsupported if all undamaged ones have a later
/// version's format: starting from step 0 would lose their work.
Result<std::optional<Step>> newest(const std::filesystem::path& folder,
                                   std::vector<std::string>& warnings,
                                   const std::string& plan_hash = {}, Reads reads = Reads::kFiles);

/// The newest step after `step` with a complete, undamaged checkpoint of this job that was computed
/// with these numerics; none where there is none, or none can be read. Of older ones it reads the
/// names alone.
std::optional<Step> newerThan(const std::filesystem::path& folder, Step step,
                              const std::string& plan_hash, const std::string& numerics);

/// What a checkpoint's manifest says of the run that wrote it.
struct Origin {
  std::string plan_hash;  // as in State
  std::string numerics;
  std::string algorithm;
  int workers = 0;
  std::string plan_lines = {};  // as they were read: no checksum; empty: they were not kept
};

/// The origin of the checkpoint of `step`, without reading its tensors. Prefers those of
/// `plan_hash`, then the highest term. Fails as restore() does.
Result<Origin> originOf(const std::filesystem::path& folder, Step step,
                        const std::string& plan_hash = {});

/// Reads the checkpoint of `step`, checking length and CRC of each file and that the tensors are
/// the network's. Prefers those of `plan_hash`, then the highest term. The caller checks the amount
/// of part state. `work`, where it is given, counts what was read.
Result<State> restore(const std::filesystem::path& folder, const model::Network& network, Step step,
                      WorkCount* work = nullptr, const std::string& plan_hash = {});

}  // namespace sumac::checkpoint
