#include <csignal>
#include <exception>

#include <sys/signalfd.h>

#include "common/base/memory.h"
#include "common/base/process_identity.h"
#include "common/base/termination_message.h"
#include "common/kernels/kernels.h"
#include "common/link/context.h"
#include "common/log/log.h"
#include "server/flags.h"
#include "server/service/service.h"

// Threads: everything happens on the main thread; ZeroMQ has its own for input and output.

namespace sumac::server {
namespace {

ServiceEnd failed(ExitCode code, const Error& error) {
  return {code, error.message};
}

/// Signals arrive as something to read, in the reactor's own loop. Before any thread is started:
/// threads inherit what is blocked.
int takeSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);  // whoever watches may go
  return ::signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
}

/// The fastest kernels of this machine: sums have the same bits in all.
Result<Kernels> loadKernels(const std::string& limit) {
  const auto variants = availableKernelVariants(limit);
  if (!variants) return variants.error();
  return Kernels::load(variants->back());
}

ServiceEnd serve(const Flags& flags, int signal_fd, const Log& log) {
  const auto setup = readSetup(flags.job_file, flags.workers);
  if (!setup) return failed(ExitCode::kBadConfiguration, setup.error());
  if (flags.index >= setup->job.server.replicas) {
    return {ExitCode::kBadConfiguration, "--index " + std::to_string(flags.index) +
                                             " is not below spec.server.replicas, " +
                                             std::to_string(setup->job.server.replicas)};
  }
  const auto kernels = loadKernels(flags.cpu);
  if (!kernels) return failed(ExitCode::kBadConfiguration, kernels.error());

  const bool is_encrypted = setup->job.transport == job::Transport::kCurve;
  const auto keys = openKeyring(is_encrypted, flags.keys, {Role::kServer, flags.index});
  if (!keys) return failed(ExitCode::kBadConfiguration, keys.error());

  ServiceOptions options;
  options.self = {{Role::kServer, flags.index}, newIncarnation()};
  options.attempt = flags.attempt;
  options.coordinator = flags.coordinator;
  options.listen = flags.listen;
  options.keys = *keys;
  options.ready_fd = flags.ready_fd;
  options.progress_fd = flags.progress_fd;
  options.signal_fd = signal_fd;
  options.status_listen = flags.status_listen;
  options.job_uid = flags.job_uid;
  link::Context context;
  auto service =
      Service::open(context, options, *setup, **kernels, log.with({"job", setup->job.name}));
  if (!service) {
    const bool is_usage = service.error().code == ErrorCode::kInvalid;
    return failed(is_usage ? ExitCode::kBadConfiguration : ExitCode::kFailed, service.error());
  }
  return (*service)->run();
}

/// The root of the main thread: what nobody handled ends here.
ServiceEnd serveOrCatch(const Flags& flags, int signal_fd, const Log& log) {
  try {
    return serve(flags, signal_fd, log);
  } catch (const InvariantViolation& violation) {
    return {ExitCode::kBrokenInvariant, violation.what()};
  } catch (const std::exception& failure) {
    return {ExitCode::kFailed, failure.what()};
  }
}

int run(int argc, char** argv) {
  keepFreedMemory();
  const auto parsed = parseFlags(argc, argv);
  if (const auto* code = std::get_if<ExitCode>(&parsed)) return toInt(*code);
  const Flags& flags = std::get<Flags>(parsed);
  const int signal_fd = takeSignals();
  const Log log =
      Log::toStderr(flags.log_level).with({"role", "server"}).with({"rank", flags.index});

  const ServiceEnd end = serveOrCatch(flags, signal_fd, log);
  const auto written = writeTermination(flags.termination_file, end.reason);
  if (!written) log.warn("no termination message", {{"error", written.error().message}});
  if (end.code == ExitCode::kDone || end.code == ExitCode::kStopped) {
    log.info("done", {{"code", toInt(end.code)}});
  } else {
    log.error("ended", {{"code", toInt(end.code)}, {"error", end.reason}});
  }
  return toInt(end.code);
}

}  // namespace
}  // namespace sumac::server

int main(int argc, char** argv) {
  return sumac::server::run(argc, argv);
}
