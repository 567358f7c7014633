#include <csignal>
#include <string>
#include <string_view>
#include <variant>

#include "base/process/incarnation.h"
#include "base/process/member_flags.h"
#include "base/process/memory.h"
#include "base/process/memory_end.h"
#include "base/process/process_end.h"
#include "base/process/question_signal.h"
#include "base/process/resource_limits.h"
#include "base/process/stop_signal.h"
#include "exchange/link/context.h"
#include "exchange/membership/member_files.h"
#include "job/document/job_file.h"
#include "kernels/kernels.h"
#include "server/server_flags.h"
#include "server/service/service.h"

// Threads: everything happens on the main thread; ZeroMQ has its own for input and output.

namespace sumac::server {
namespace {

/// What the process is told by signals.
struct Signals {
  Result<Descriptor> stops = openStopSignals();
  Result<Descriptor> questions = openQuestions();
};

ProcessEnd serve(const ServerFlags& flags, const Signals& signals, trace::Recorder* recorder,
                 const Log& log) {
  if (!signals.stops) return endOf(signals.stops.error(), ExitCode::kFailed);
  if (!signals.questions) return endOf(signals.questions.error(), ExitCode::kFailed);
  const auto job = job::readJobFile(flags.job_file, flags.workers);
  if (!job) return endOf(job.error(), ExitCode::kBadConfiguration);
  JobSetup setup = setupOf(*job, flags.is_elastic);
  setup.limits.flapping = std::chrono::seconds(flags.flapping_seconds);
  if (flags.index >= setup.servers) {
    return {ExitCode::kBadConfiguration, "--index " + std::to_string(flags.index) +
                                             " is not below spec.server.replicas, " +
                                             std::to_string(setup.servers)};
  }
  if (const auto files =
          requireOpenFiles(memberFiles(*job, {Role::kServer, flags.index}), "this server");
      !files) {
    return endOf(files.error(), ExitCode::kFailed);
  }
  const auto kernels = Kernels::loadBest(flags.kernels);  // sums have the same bits in all
  if (!kernels) return endOf(kernels.error(), ExitCode::kBadConfiguration);

  const bool is_encrypted = job->transport == job::Transport::kCurve;
  const auto keys = openKeyring(is_encrypted, flags.keys, {Role::kServer, flags.index});
  if (!keys) return endOf(keys.error(), ExitCode::kBadConfiguration);

  ServiceOptions options;
  options.self = {{Role::kServer, flags.index}, newIncarnation()};
  options.attempt = flags.attempt;
  options.token = member_flags::jobToken();
  options.coordinator = flags.coordinator;
  options.listen = flags.listen;
  options.keys = *keys;
  options.orphan_patience = std::chrono::seconds(flags.orphan_seconds);
  options.ready_fd = flags.ready_fd;
  options.progress_fd = flags.progress_fd;
  options.signal_fd = signals.stops->get();
  options.question_fd = signals.questions->get();
  options.status_listen = flags.status_listen;
  options.job_uid = flags.job_uid;
  options.recorder = recorder;
  link::Context context;
  auto service = Service::open(context, options, setup, **kernels, log.with({"job", setup.name}));
  if (!service) {
    const bool is_usage = service.error().code == ErrorCode::kInvalid;
    return endOf(service.error(), is_usage ? ExitCode::kBadConfiguration : ExitCode::kFailed);
  }
  return (*service)->run();
}

/// The signals first: threads inherit what is blocked.
int run(int argc, char** argv) {
  constexpr std::string_view kShortage =
      "not enough memory for this server's share of the weights; give it more, or raise "
      "spec.server.replicas";
  keepFreedMemory();
  allowMostOpenFiles();
  const auto parsed = parseFlags(argc, argv);
  if (const auto* code = std::get_if<ExitCode>(&parsed)) return toInt(*code);
  const ServerFlags& flags = std::get<ServerFlags>(parsed);
  prepareMemoryEnd(kShortage, flags.termination_file);
  std::signal(SIGPIPE, SIG_IGN);  // a reader of our pipes may end before us
  const Signals signals;
  const Log log = flags.log.open().with({"role", "server"}).with({"index", flags.index});
  const SystemClock clock;
  const ProcessEnd end = runToEnd(
      [&] {
        const auto tracing =
            trace::PartWriter::start(flags.trace, {Role::kServer, flags.index}, clock, log);
        return serve(flags, signals, trace::recorderOf(tracing), log);
      },
      kShortage);
  return reportEnd(end, log, flags.termination_file);
}

}  // namespace
}  // namespace sumac::server

int main(int argc, char** argv) {
  sumac::reportFailedResources();
  return sumac::server::run(argc, argv);
}
