#include "cli/experiment/folder.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/core/bytes.h"
#include "base/core/file.h"
#include "base/core/sha256.h"
#include "cli/run/folder.h"
#include "cli/run/resume.h"

namespace sumac::cli {
namespace {

constexpr std::uint64_t kMaxIdentityBytes = 65'536;
// A run over time has a moment a second, or more, of about 130 bytes: this is a week of them.
constexpr std::uint64_t kMaxRunBytes = 256'000'000;
constexpr const char* kIdentityFile = "experiment.json";

std::string toText(const FolderIdentity& identity) {
  return nlohmann::ordered_json{{"schemaVersion", 1},          {"experiment", identity.experiment},
                                {"jobsSha256", identity.jobs}, {"seed", identity.seed},
                                {"version", identity.version}, {"machine", identity.machine}}
             .dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

std::string nameOf(experiment::RunId run) {
  return "cell-" + std::to_string(run.cell) + "-run-" + std::to_string(run.repetition);
}

/// What an experiment's folder belongs to. Fails with kConflict if it is of something else, with
/// kInvalid if it cannot be read.
Result<FolderIdentity> identityIn(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!std::filesystem::exists(folder / kIdentityFile, ignored)) {
    return Error{ErrorCode::kConflict, folder.string() +
                                           " is not empty and not the folder of an experiment; "
                                           "choose another with --output-dir"};
  }
  const auto text = readTextFile(folder / kIdentityFile, kMaxIdentityBytes);
  const auto json = nlohmann::json::parse(text ? *text : "", nullptr, /*allow_exceptions=*/false);
  const auto field = [&json](const char* name) {
    const auto found = json.is_object() ? json.find(name) : json.end();
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const FolderIdentity identity{field("experiment"), field("jobsSha256"), field("seed"),
                                field("version"), field("machine")};
  if (!identity.experiment.empty() && !identity.jobs.empty()) return identity;
  return Error{ErrorCode::kInvalid,
               (folder / kIdentityFile).string() +
                   " is damaged: nobody knows what the runs beside it are of; choose another "
                   "folder with --output-dir, or remove " +
                   folder.string()};
}

/// Why the runs in a folder cannot be continued; empty if they can.
std::string difference(const FolderIdentity& there, const FolderIdentity& wanted) {
  if (there.experiment != wanted.experiment) return "the experiment `" + there.experiment + "`";
  if (there.jobs != wanted.jobs)
    return "this experiment with other jobs, steps, axes or another metric";
  if (there.seed != wanted.seed)
    return "this experiment with the seed " + there.seed + ", and this is " + wanted.seed;
  if (there.version != wanted.version)
    return "Sumac " + there.version + ", and this is " + wanted.version;
  if (there.machine != wanted.machine) return "another machine: " + there.machine;
  return {};
}

constexpr const char* kRuns = "runs";
constexpr const char* kJobs = "jobs";
constexpr const char* kFailed = "failed";

/// Whether it is the name of a run's file: "cell-1-run-2.json".
bool isRunFile(std::string_view name) {
  const auto take = [&name](std::string_view part) {
    if (!name.starts_with(part)) return false;
    name.remove_prefix(part.size());
    return true;
  };
  const auto takeNumber = [&name] {
    const auto digits = std::min(name.find_first_not_of("0123456789"), name.size());
    name.remove_prefix(digits);
    return digits > 0;
  };
  return take("cell-") && takeNumber() && take("-run-") && takeNumber() && name == ".json";
}

int countRunsIn(const std::filesystem::path& folder) {
  int count = 0;
  std::error_code error;
  std::filesystem::directory_iterator files(folder / kRuns, error);
  for (; !error && files != std::filesystem::directory_iterator(); files.increment(error)) {
    if (isRunFile(files->path().filename().string())) ++count;
  }
  return count;
}

/// What a folder that is not empty is of instead, without runs; empty if it is of this experiment.
/// Fails with kConflict if it has runs of anything else.
Result<std::string> requireSame(const std::filesystem::path& path, const FolderIdentity& identity) {
  const auto there = identityIn(path);
  if (!there) return there.error();
  const bool is_simulated = there->machine == kSimulatedMachine;
  if (is_simulated != (identity.machine == kSimulatedMachine)) {
    return Error{ErrorCode::kConflict,
                 path.string() + " has " + (is_simulated ? "simulated" : "measured") +
                     " results of the experiment `" + there->experiment + "`, and these are " +
                     (is_simulated ? "measured" : "simulated") +
                     "; choose another folder with --output-dir, or remove it"};
  }
  std::string other = difference(*there, identity);
  if (other.empty() || countRunsIn(path) == 0) return other;
  return Error{ErrorCode::kConflict, "the runs in " + path.string() + " are of " + other +
                                         "; choose another folder with --output-dir, or remove it"};
}

Result<void> requireNoFile(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored) || std::filesystem::is_directory(path, ignored))
    return {};
  return Error{ErrorCode::kConflict,
               path.string() + " is no folder; choose another with --output-dir"};
}

/// Returns what was deleted of another experiment, as a sentence; mostly empty.
Result<std::string> claim(const std::filesystem::path& path, const FolderIdentity& identity) {
  std::error_code ignored;
  std::string note;
  if (!std::filesystem::is_empty(path, ignored)) {
    const auto other = requireSame(path, identity);
    if (!other) return other.error();
    if (other->empty()) return std::string();
    if (std::filesystem::exists(path / kFailed, ignored)) {
      note = path.string() + " was of " + *other +
             ", and nothing was measured there: it is taken over, and the logs of the runs that "
             "failed are deleted";
    }
    for (const char* const left : {kFailed, kJobs, "running", "decisions.csv", "scale.csv",
                                   "step-times", "step-times.sha256"})
      std::filesystem::remove_all(path / left, ignored);
  }
  const auto written = replaceFile(path / kIdentityFile, asBytes(toText(identity)));
  if (!written) return written.error();
  return note;
}

}  // namespace

Result<ExperimentFolder> ExperimentFolder::open(const std::filesystem::path& path,
                                                const FolderIdentity& identity) {
  if (const auto free = requireNoFile(path); !free) return free.error();
  if (const auto writable = requireWritable(path); !writable) return writable.error();
  auto lock = lockFolder(RunFolder(path));
  if (!lock) {
    return Error{lock.error().code, "another sumac experiment uses " + path.string() +
                                        "; wait until it ends or choose another folder with "
                                        "--output-dir"};
  }
  auto claimed = claim(path, identity);
  if (!claimed) return claimed.error();
  std::error_code error;
  for (const char* const folder : {kRuns, kJobs}) {
    std::filesystem::create_directory(path / folder, error);
    if (!error) continue;
    return Error{ErrorCode::kUnavailable,
                 "cannot make " + (path / folder).string() + ": " + error.message()};
  }
  return ExperimentFolder(path, identity.jobs, *std::move(lock), *std::move(claimed));
}

Result<void> ExperimentFolder::check(const std::filesystem::path& path,
                                     const FolderIdentity& identity) {
  if (const auto free = requireNoFile(path); !free) return free.error();
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored) || std::filesystem::is_empty(path, ignored))
    return {};
  const auto other = requireSame(path, identity);
  if (!other) return other.error();
  return {};
}

std::filesystem::path ExperimentFolder::running(experiment::RunId run) const {
  return running() / nameOf(run);
}

std::filesystem::path ExperimentFolder::failed(experiment::RunId run) const {
  return path_ / kFailed / nameOf(run);
}

void ExperimentFolder::removePictures() const {
  std::error_code ignored;
  std::vector<std::filesystem::path> pictures;
  for (const auto& entry : std::filesystem::directory_iterator(path_, ignored))
    if (entry.path().extension() == ".svg") pictures.push_back(entry.path());
  for (const auto& path : pictures)
    std::filesystem::remove(path, ignored);
}

std::filesystem::path ExperimentFolder::fileOf(experiment::RunId run) const {
  return path_ / kRuns / (nameOf(run) + ".json");
}

std::string ExperimentFolder::ownerOf(experiment::RunId run) const {
  return nameOf(run) + " of " + jobs_;
}

int ExperimentFolder::countRuns() const {
  return countRunsIn(path_);
}

Result<void> ExperimentFolder::describe(const std::string& document,
                                        const std::vector<std::string>& jobs) const {
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto file = path_ / kJobs / ("cell-" + std::to_string(i + 1) + ".yaml");
    if (const auto written = replaceFile(file, asBytes(jobs[i])); !written) return written.error();
  }
  return replaceFile(this->document(), asBytes(document));
}

Result<std::optional<experiment::RunFigures>> ExperimentFolder::load(experiment::RunId run) const {
  const auto file = fileOf(run);
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return std::optional<experiment::RunFigures>();
  const auto text = readTextFile(file, kMaxRunBytes);
  if (!text) return text.error();
  auto figures = experiment::figuresFromFile(*text, ownerOf(run));
  if (figures) return std::optional(*std::move(figures));
  // We write files as a whole: somebody else has changed it, and may want it back.
  return Error{ErrorCode::kInvalid,
               file.string() + " is damaged; remove it, and the run is measured again"};
}

Result<void> ExperimentFolder::save(experiment::RunId run,
                                    const experiment::RunFigures& figures) const {
  return replaceFile(fileOf(run), asBytes(experiment::toFile(figures, ownerOf(run))));
}

}  // namespace sumac::cli
