#include "cli/plan/kept_profile.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/core/bytes.h"
#include "base/core/complain.h"
#include "base/core/file.h"
#include "base/core/sha256.h"
#include "base/core/units.h"
#include "exchange/plan/part_tree.h"
#include "job/profile/profile_json.h"

namespace sumac::cli {
namespace {

namespace fs = std::filesystem;

/// Samples of a part and threads of a worker that a plan may ask for.
struct WantedRows {
  std::set<std::int64_t> sizes;
  std::set<int> threads;

  std::int64_t count() const { return std::ssize(sizes) * std::ssize(threads); }
};

std::string pathOf(const job::TrainingJob& job) {
  return job.transport == job::Transport::kCurve ? "curve" : "tcp";
}

/// By all that times depend on but sizes and threads, which the file has several of.
fs::path fileFor(const JobProfile& here, const job::TrainingJob& job) {
  constexpr std::size_t kDigits = 12;
  JobProfile key;
  key.version = here.version;
  key.machine = here.machine;
  key.subject = here.subject;
  key.subject.parts = 1;
  const std::string digits = sha256Hex(asBytes(toJson(key) + pathOf(job)));
  return here.subject.network + "-" + digits.substr(0, kDigits) + ".json";
}

/// What was kept; nothing where there is no file, or one that says nothing about this job here.
std::optional<JobProfile> readKept(const fs::path& file, const JobProfile& here) {
  const auto text = readTextFile(file, kMaxProfileBytes);
  if (!text) return std::nullopt;
  auto profile = profileFromJson(*text);
  const ProfileNeed need{here.version, here.machine, here.subject};
  if (!profile || profile->links.empty() || !whyNot(*profile, need).empty()) return std::nullopt;
  return *std::move(profile);
}

/// Sizes of a part from the job's own down to that with the most workers, where those of usual
/// numbers of workers are closest; with a noise scale those of other mini-batches, too.
std::set<std::int64_t> sizesFor(const PlanOptions& options, const job::TrainingSpec& training) {
  constexpr std::int64_t kSmallestBatch = 8;  // times smaller than the job's, and
  constexpr std::int64_t kLargest = 16;       // larger: planner/advice tries more, and takes these
  const std::int64_t batch = training.batch_size;
  const std::int64_t parts = training.logical_workers;
  const bool has_batches = options.noise_scale || !options.result.empty();
  const std::int64_t own = (batch + parts - 1) / parts;
  const std::int64_t most_parts = std::max<std::int64_t>(parts, options.most_workers);
  const std::int64_t smallest = batch / most_parts / (has_batches ? kSmallestBatch : 1);
  std::set<std::int64_t> sizes{own};
  int halved = 0;
  for (std::int64_t size = own; size > std::max<std::int64_t>(1, smallest); ++halved) {
    size = std::max<std::int64_t>(1, size / (halved < 2 ? 2 : 4));
    sizes.insert(size);
  }
  if (has_batches) sizes.insert({4 * own, kLargest * own});
  return sizes;
}

/// Those of the job; else 1, 2, 4, ... and as many as there are cores: `auto` has as many as the
/// cores divided by the workers here, and the planner takes the fastest that were measured.
std::set<int> threadsFor(const job::TrainingSpec& training, const ProfileMachine& machine) {
  if (training.threads > 0) return {training.threads};
  const int cores = std::max(1, static_cast<int>(coresOf(machine)));
  std::set<int> threads{cores};
  for (int count = 1; count < cores; count *= 2)
    threads.insert(count);
  return threads;
}

/// Whether a profile has times of such a part, or of smaller and of larger ones.
bool covers(const JobProfile& profile, std::int64_t size, int threads) {
  const auto has = [&](auto is_near) {
    return std::ranges::any_of(profile.batches, [&](const BatchProfile& batch) {
      return batch.threads == threads &&
             is_near(static_cast<double>(batch.samples) / batch.parts, static_cast<double>(size));
    });
  };
  return has(std::less_equal()) && has(std::greater_equal());
}

/// What of it `profile` lacks, in whole rows.
WantedRows missing(const WantedRows& wanted, const JobProfile& profile) {
  WantedRows rows;
  for (const std::int64_t size : wanted.sizes) {
    for (const int threads : wanted.threads) {
      if (covers(profile, size, threads)) continue;
      rows.sizes.insert(size);
      rows.threads.insert(threads);
    }
  }
  return rows;
}

/// The options of `sumac profile` that measure these rows.
ProfileOptions optionsFor(const WantedRows& rows, const job::TrainingJob& job) {
  ProfileOptions options;
  const std::int64_t parts = blockOf(0, job.worker.replicas, job.training.logical_workers).size();
  for (const std::int64_t size : rows.sizes)
    options.batch_sizes.push_back(size * parts);
  options.threads.assign(rows.threads.begin(), rows.threads.end());
  return options;
}

/// What is going to happen, before it does.
std::string announcement(const WantedRows& rows, bool has_exchanges, const fs::path& file) {
  constexpr std::int64_t kSecondsOfRow = 2;
  constexpr std::int64_t kSecondsOfExchanges = 15;
  const std::int64_t seconds =
      kSecondsOfRow * rows.count() + (has_exchanges ? kSecondsOfExchanges : 0);
  return "Measuring what a step of this job costs on this machine, about " +
         std::to_string(seconds) + " s: let nothing else use the cores. The profile is kept in " +
         file.string() + " and used again; --profile FILE takes another one instead.";
}

/// Nothing, or why a profile is not measured and kept there.
Result<void> mayMeasure(const PlanOptions& options, const fs::path& file) {
  const bool is_for_people =
      options.format == PlanFormat::kShort || options.format == PlanFormat::kWide;
  if (!options.measures && (!is_for_people || options.is_applied))
    return Error{ErrorCode::kInvalid,
                 "for an answer that a program reads nothing is measured, and " + file.string() +
                     " has no profile of this job on this machine that reaches far enough: measure "
                     "one with --measure, or give one with --profile"};
  if (!file.has_parent_path())
    return Error{ErrorCode::kInvalid,
                 "neither XDG_CACHE_HOME nor HOME says where a profile can be kept; set one of "
                 "them, or measure with sumac profile and give its file with --profile"};
  return requireWritable(file.parent_path());
}

}  // namespace

void addBatches(std::vector<BatchProfile> batches, JobProfile& to) {
  const auto key = [](const BatchProfile& batch) {
    return std::tuple(batch.samples, batch.parts, batch.threads);
  };
  for (BatchProfile& batch : batches) {
    if (std::ranges::count(to.batches, key(batch), key) == 0)
      to.batches.push_back(std::move(batch));
  }
}

std::variant<fs::path, ExitCode> keptProfile(const PlanOptions& options,
                                             const job::Reading& reading, const JobProfile& here,
                                             const ThisMachine& machine, Streams streams) {
  const job::TrainingJob& job = *reading.job;
  const fs::path file = userCache("profiles") / fileFor(here, job);
  const WantedRows wanted{sizesFor(options, job.training), threadsFor(job.training, here.machine)};
  auto kept = options.measures ? std::nullopt : readKept(file, here);
  const WantedRows rows = kept ? missing(wanted, *kept) : wanted;
  if (rows.count() == 0) {
    streams.err << "Profile: " << file.string() << "; sumac plan --measure measures it again"
                << std::endl;
    return file;
  }
  if (const auto may = mayMeasure(options, file); !may)
    return complain(streams.err, may.error(), ExitCode::kUsage);
  ProfileOptions measuring = optionsFor(rows, job);
  measuring.measures_exchanges = !kept;
  streams.err << announcement(rows, !kept, file) << std::endl;
  Profiling measured = machine.measure(reading, measuring, streams);
  if (const auto* const code = std::get_if<ExitCode>(&measured)) return *code;
  auto& added = std::get<JobProfile>(measured);
  if (kept) {
    addBatches(std::move(added.batches), *kept);
  } else {
    kept = std::move(added);
  }
  if (const auto written = replaceFile(file, asBytes(toJson(*kept))); !written)
    return complain(streams.err, written.error(), ExitCode::kFailed);
  return file;
}

}  // namespace sumac::cli
