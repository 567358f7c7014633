#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "base/log/log.h"
#include "base/process/process_end.h"
#include "base/telemetry/http_server.h"
#include "engine/checkpoint/program_state.h"
#include "engine/sampler/sampler.h"
#include "exchange/client/job_exchange.h"
#include "exchange/client/worker_status.h"
#include "exchange/client/worker_sums.h"
#include "exchange/link/context.h"
#include "kernels/kernels.h"

#include "libsumac/log_queue.h"
#include "libsumac/program_run.h"
#include "libsumac/program_setup.h"
#include "libsumac/settings.h"

namespace sumac::program {

/// What is behind a sumac_member: one program's part in one job, from reading its settings to how
/// it ends. Functions throw Misuse where they are called out of order. One call at a time, but for
/// leave(), which is safe from any thread.
class ProgramMember {
 public:
  /// Reads the settings. Where they cannot be used it has ended: end().
  ProgramMember(const Options& options, const Environment& environment);
  ~ProgramMember();
  ProgramMember(const ProgramMember&) = delete;
  ProgramMember& operator=(const ProgramMember&) = delete;

  /// False: it has ended.
  bool declare(Declaration declared);
  bool isDeclared() const { return setup_.has_value(); }

  /// Once it has settings.
  const Settings& settings() const { return settings_; }
  /// Once it is declared.
  const ProgramSetup& setup() const { return *setup_; }
  /// Requires a step from 1 on, and a part of the job.
  std::span<const std::int64_t> samples(Step step, int part);

  /// The state that the program keeps: to be changed in place between the two calls. The first one
  /// throws where the program may not have a state of `step` now.
  checkpoint::ProgramState& beginState(Step step);
  void endState(Step step);

  Next next(TimePoint until);
  const Turn& turn() const { return run_->turn(); }
  bool add(Step step, int part, std::span<const Piece> pieces, float loss);
  void metrics(const Evaluated& evaluation);
  void fail(ExitCode code, const std::string& message);
  void leave();

  const std::optional<ProcessEnd>& end() const { return end_; }
  /// Of a sum that was not finite, after which it has ended.
  std::optional<std::int64_t> badValue() const { return run_ ? run_->badValue() : std::nullopt; }
  /// How it ends, where a call has failed in a way that nobody expected.
  void endWith(ProcessEnd end);
  LogQueue& log() { return lines_; }

 private:
  bool open();
  Result<void> connect();
  std::optional<Error> checkAddresses() const;
  MemberIdentity identityOf(Member self, std::uint64_t job, std::string endpoint) const;
  Result<void> startStatus(Log log);
  void tellEnd();
  Log logAt(LogLevel level);

  LogQueue lines_;
  Settings settings_;
  Log log_;
  std::optional<ProgramSetup> setup_;
  std::optional<worker::Sampler> sampler_;
  checkpoint::ProgramState registered_;
  bool has_state_ = false;
  SystemClock clock_;
  std::optional<Kernels> kernels_;
  std::optional<worker::WorkerStatus> status_;
  std::unique_ptr<worker::WorkerSums> sums_;
  std::unique_ptr<HttpServer> http_;
  std::optional<link::Context> context_;
  std::unique_ptr<worker::JobExchange> exchange_;
  std::mutex leaving_;                       // guards the two that follow
  bool leaves_ = false;                      // asked before there was an exchange
  worker::JobExchange* leavable_ = nullptr;  // the exchange, while there is one
  std::unique_ptr<ProgramRun> run_;
  std::optional<ProcessEnd> end_;
};

}  // namespace sumac::program
