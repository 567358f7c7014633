#include "worker/commands/profile_command.h"

#include <algorithm>
#include <chrono>
#include <istream>
#include <iterator>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include <sys/utsname.h>

#include <CLI/CLI.hpp>

#include "base/core/clock.h"
#include "base/core/complain.h"
#include "base/core/units.h"
#include "base/core/version.h"
#include "base/process/help_format.h"
#include "base/process/member_flags.h"
#include "base/process/process_end.h"
#include "base/process/processor.h"
#include "base/process/usage.h"
#include "engine/nn/processors.h"
#include "exchange/plan/job_plan.h"
#include "exchange/plan/kernel_check.h"
#include "exchange/plan/part_tree.h"
#include "job/document/job.h"
#include "job/document/network_of.h"
#include "job/profile/profile_json.h"
#include "job/profile/subject.h"
#include "worker/profile/add_rate.h"
#include "worker/profile/step_profile.h"

namespace sumac::worker {
namespace {

struct ProfileOptions {
  std::vector<std::int64_t> samples;  // of a worker's share; empty: the job's, its half and double
  std::vector<int> threads;           // empty: those that the job's workers would have
  int vocabulary = 0;
  int milliseconds = 500;
  bool is_dry_run = false;
  std::string cpu_limit;
};

/// A job to profile, with its network.
struct Profiled {
  job::TrainingJob job;
  model::Network network;
};

Result<Profiled> readProfiled(const ProfileOptions& options, std::istream& in) {
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const job::Reading reading = job::readJob(text, "<stdin>", {}, false);
  if (!reading.job) return Error{ErrorCode::kInvalid, job::problemList(reading.problems)};
  if (const auto network = job::networkSpecOf(*reading.job); !network) return network.error();
  int vocabulary = options.vocabulary;
  if (vocabulary == 0 && reading.job->data.generated)
    vocabulary = reading.job->data.generated->vocabulary;
  auto plan = makeJobPlan(*reading.job, vocabulary);
  if (!plan) return plan.error();
  return Profiled{*reading.job, std::move(plan->network)};
}

ProfileMachine profileMachine(const Kernels& kernels) {
  const Processors processors = usableProcessors();
  ProfileMachine machine;
  utsname names{};
  machine.host = ::uname(&names) == 0 ? names.nodename : "unknown";
  machine.cpu = processorName();
  machine.kernels = toString(kernels.variant());
  machine.cores = processors.cores;
  machine.quota = processors.quota;
  return machine;
}

/// What worker 0 has of a mini-batch.
Share shareOf(const job::TrainingJob& job) {
  const job::TrainingSpec& training = job.training;
  const TreeNode block = blockOf(0, job.worker.replicas, training.logical_workers);
  return {.samples = training.batch_size * block.end / training.logical_workers,
          .parts = block.size()};
}

/// Of each number of threads each size, smallest first.
std::vector<Share> sharesOf(const ProfileOptions& options, const job::TrainingJob& job) {
  const Share own = shareOf(job);
  std::set<std::int64_t> sizes(options.samples.begin(), options.samples.end());
  if (sizes.empty()) {
    for (const std::int64_t samples : {own.samples / 2, own.samples, 2 * own.samples}) {
      if (samples >= own.parts) sizes.insert(samples);
    }
  }
  std::set<int> threads(options.threads.begin(), options.threads.end());
  if (threads.empty() && job.training.threads > 0) threads.insert(job.training.threads);
  if (threads.empty()) {
    // `sumac run` divides the cores by its workers: what one of them gets, and one alone.
    const Processors processors = usableProcessors();
    threads = {automaticThreads(processors, job.worker.replicas), automaticThreads(processors, 1)};
  }
  std::vector<Share> shares;
  for (const int count : threads) {
    for (const std::int64_t samples : sizes)
      shares.push_back({.samples = samples, .parts = own.parts, .threads = count});
    // What a worker alone has.
    const Share all{job.training.batch_size, job.training.logical_workers, count};
    if (options.samples.empty() && all.parts != own.parts) shares.push_back(all);
  }
  return shares;
}

Result<JobProfile> measured(const ProfileOptions& options, std::istream& in, std::ostream& err) {
  const auto profiled = readProfiled(options, in);
  if (!profiled) return profiled.error();
  const auto& [job, network] = *profiled;
  const std::string wanted(nameOf(job.training.kernels));
  const auto kernels = Kernels::loadBest(wanted.empty() ? options.cpu_limit : wanted);
  if (!kernels) return kernels.error();
  const SystemClock clock;
  JobProfile profile;
  profile.version = kVersion;
  profile.machine = profileMachine(*kernels);
  profile.subject = subjectOf(job, network);
  if (options.is_dry_run) return profile;
  const auto shares = sharesOf(options, job);
  for (const Share& share : shares) {
    err << profile.batches.size() + 1 << "/" << shares.size() << "  "
        << counted(share.samples, "sample") << " in " << counted(share.parts, "part") << ", "
        << counted(share.threads, "thread") << std::endl;
    auto batch = profileStep(job.training, network, *kernels, share, clock,
                             {.least_time = std::chrono::milliseconds(options.milliseconds),
                              .cores = automaticThreads(usableProcessors(), 1)});
    if (!batch) return batch.error();
    profile.batches.push_back(*std::move(batch));
  }
  profile.sum_bytes_per_second = static_cast<double>(measuredAddRate(**kernels, clock));
  return profile;
}

ExitCode printProfile(const ProfileOptions& options, std::istream& in, std::ostream& out,
                      std::ostream& err) {
  const auto profile = measured(options, in, err);
  if (!profile) return complain(err, profile.error(), ExitCode::kBadConfiguration);
  out << toJson(*profile);
  return ExitCode::kDone;
}

void addProfileOptions(CLI::App& app, ProfileOptions& options) {
  constexpr std::int64_t kMaxSamples = 1'000'000;
  constexpr int kMaxThreads = 1024;
  constexpr int kMaxMilliseconds = 60'000;
  app.add_option("--batch-sizes", options.samples, "Samples of a worker's share")
      ->type_name("LIST")
      ->delimiter(',')
      ->check(CLI::Range(std::int64_t{1}, kMaxSamples));
  app.add_option("--threads", options.threads, "Threads that compute")
      ->type_name("LIST")
      ->delimiter(',')
      ->check(CLI::Range(1, kMaxThreads));
  app.add_option("--vocabulary", options.vocabulary, "Words of a text network")->type_name("N");
  app.add_option("--time", options.milliseconds, "Milliseconds of each measurement, at least")
      ->type_name("MS")
      ->capture_default_str()
      ->check(CLI::Range(0, kMaxMilliseconds));
  app.add_flag("--dry-run", options.is_dry_run, "Measure nothing: say what would be measured");
  addFlag(app, member_flags::kKernels, options.cpu_limit);
}

}  // namespace

ExitCode profileCommand(int argc, char** argv, std::istream& in, std::ostream& out,
                        std::ostream& err) {
  ProfileOptions options;
  CLI::App app("Measures a worker's steps of the TrainingJob on standard input.",
               "sumac-worker profile");
  app.formatter(std::make_shared<HelpFormat>());
  addProfileOptions(app, options);
  if (const auto end = parseOrEnd(app, argc, argv, out, err)) return *end;
  ExitCode code = ExitCode::kDone;
  const auto failure = endOfException([&] { code = printProfile(options, in, out, err); });
  if (!failure) return code;
  err << "error: " << failure->reason << '\n';
  return failure->code;
}

}  // namespace sumac::worker
