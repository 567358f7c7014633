#include "base/process/process_end.h"

#include <cerrno>
#include <cstring>
#include <exception>
#include <new>
#include <ostream>
#include <system_error>

#include "base/core/check.h"
#include "base/core/thrown_error.h"
#include "base/process/termination_message.h"

namespace sumac {
namespace {

/// A thread that cannot be started says no more than EAGAIN.
std::string refusalText(const std::system_error& failure, std::string_view no_memory) {
  if (failure.code() != std::errc::resource_unavailable_try_again) return failure.what();
  return std::string("cannot start a thread: ") + failure.what() +
         "; the limit of processes (`ulimit -u`, pids of a pod) or of memory (`ulimit -v`) is too "
         "low; " +
         std::string(no_memory);
}

}  // namespace

ProcessEnd endOf(const Error& error, ExitCode otherwise) {
  switch (error.code) {
    case ErrorCode::kUnavailable: return {ExitCode::kResourceFailed, error.message};
    case ErrorCode::kStale: return {ExitCode::kLostPeers, error.message};
    default: return {otherwise, error.message};
  }
}

std::optional<ProcessEnd> endOfException(const std::function<void()>& body,
                                         std::string_view no_memory) {
  try {
    body();
    return std::nullopt;
  } catch (const InvariantViolation& violation) {
    return ProcessEnd{
        ExitCode::kBrokenInvariant,
        std::string(violation.what()) + "; this is a bug in Sumac, please report the message"};
  } catch (const ThrownError& thrown) {
    return endOf(thrown.error(), ExitCode::kBadConfiguration);
  } catch (const std::bad_alloc&) {
    return ProcessEnd{ExitCode::kResourceFailed, std::string(no_memory)};
  } catch (const std::system_error& failure) {
    return ProcessEnd{ExitCode::kResourceFailed, refusalText(failure, no_memory)};
  } catch (const std::exception& failure) {
    return ProcessEnd{ExitCode::kFailed, failure.what()};
  }
}

ProcessEnd runToEnd(const std::function<ProcessEnd()>& body, std::string_view no_memory) {
  ProcessEnd end;
  const auto exception = endOfException([&] { end = body(); }, no_memory);
  return exception ? *exception : end;
}

int reportEnd(const ProcessEnd& end, const Log& log,
              const std::filesystem::path& termination_file) {
  const auto written = writeTermination(termination_file, LastWords{end.reason, end.step}.text());
  if (!written) log.warn("no termination message", {{"error", written.error().message}});
  if (end.code == ExitCode::kDone) {
    log.info("done", {{"code", toInt(end.code)}});
  } else if (end.code == ExitCode::kStopped) {
    log.info("done", {{"code", toInt(end.code)}, {"reason", end.reason}});
  } else {
    log.error("ended", {{"code", toInt(end.code)}, {"error", end.reason}});
  }
  return toInt(end.code);
}

int endOfOutput(int code, std::ostream& out, std::ostream& err) {
  errno = 0;
  out.flush();
  if (out.good() || code != toInt(ExitCode::kDone)) return code;
  const int number = errno;
  err << "error: cannot write to standard output";
  if (number != 0) err << ": " << std::strerror(number);
  err << std::endl;
  return toInt(ExitCode::kFailed);
}

}  // namespace sumac
