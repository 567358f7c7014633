#include "libsumac/sumac.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include "job/document/limits.h"

#include "libsumac/misuse.h"
#include "libsumac/program_member.h"
#include "libsumac/sized.h"
#include "libsumac/state_input.h"

// The C functions: check what comes from the program, and let nothing be thrown into it.

namespace program = sumac::program;
using program::copyIn;
using program::copyOut;
using program::Misuse;
using program::require;
using program::requireStruct;

struct sumac_member {
  sumac_member(const program::Options& options, const program::Environment& environment)
      : member(options, environment) {}

  program::ProgramMember member;
  const pid_t process = ::getpid();
  void (*log)(void*, int, const char*) = nullptr;
  void* log_context = nullptr;
  std::mutex calling;  // held within a call
  std::string reason;
  std::string output;                  // as sumac_job has it
  program::TensorTable incoming;       // of the turn's state
  sumac_state state{};                 // the same
  std::vector<program::Piece> pieces;  // of the part that is added
};

namespace {

sumac::TimePoint deadlineOf(int timeout_ms) {
  if (timeout_ms < 0) return sumac::kNever;
  return sumac::SystemClock().now() + std::chrono::milliseconds(timeout_ms);
}

void drain(sumac_member& handle) {
  handle.member.log().drain([&handle](sumac::LogLevel level, const std::string& line) {
    if (handle.log != nullptr)
      handle.log(handle.log_context, static_cast<int>(level), line.c_str());
  });
}

/// The end of a call that threw an unexpected exception: as at the root of a thread.
int endOfThrown(sumac_member& handle) {
  const auto thrown = sumac::endOfException([] { throw; });
  const auto end = thrown.value_or(sumac::ProcessEnd{sumac::ExitCode::kFailed, "unknown"});
  try {
    handle.member.fail(end.code, end.reason);
  } catch (...) {  // without telling the others
    handle.member.endWith(end);
  }
  handle.reason = handle.member.end()->reason;
  return SUMAC_ENDED;
}

/// Runs a call of a member that is open: one at a time, in the process that opened it.
template <typename Body>
int guarded(sumac_member* handle, const Body& body) noexcept {
  if (handle == nullptr) return SUMAC_MISUSE;
  if (handle->process != ::getpid()) return SUMAC_FORKED;
  const std::unique_lock lock(handle->calling, std::try_to_lock);
  if (!lock.owns_lock()) return SUMAC_MISUSE;
  int code = SUMAC_ENDED;
  try {
    try {
      code = body(handle->member);
    } catch (const Misuse& misuse) {
      handle->reason = misuse.what();
      code = SUMAC_MISUSE;
    } catch (...) {
      code = endOfThrown(*handle);
    }
    if (code != SUMAC_MISUSE && handle->member.end()) handle->reason = handle->member.end()->reason;
    drain(*handle);
  } catch (...) {  // no memory for a text
    return SUMAC_ENDED;
  }
  return code;
}

program::Options optionsOf(const sumac_options* given) {
  program::Options options;
  if (given == nullptr) return options;
  constexpr auto kWhat = "sumac_open: options";
  requireStruct(given, kWhat);
  const sumac_options from = copyIn(given, kWhat);
  require(from.batch_size >= 0 && from.batch_size <= std::numeric_limits<std::int32_t>::max(),
          "sumac_open: batch_size is out of range");
  require(from.parts >= 0 && from.parts <= sumac::job::kMostWorkers,
          "sumac_open: parts is out of range");
  require(from.steps >= 0 && from.epochs >= 0 && from.checkpoint_steps >= 0,
          "sumac_open: steps, epochs and checkpoint_steps are not negative");
  require(from.steps == 0 || from.epochs == 0, "sumac_open: give steps or epochs, not both");
  constexpr std::int64_t kMostSteps = std::int64_t{1} << 40;
  require(from.steps <= kMostSteps && from.epochs <= std::numeric_limits<std::int32_t>::max(),
          "sumac_open: steps or epochs are out of range");
  if (from.batch_size > 0) options.batch_size = from.batch_size;
  if (from.parts > 0) options.parts = from.parts;
  require(options.parts <= options.batch_size,
          "sumac_open: a mini-batch has fewer samples than parts");
  if (from.steps > 0) options.steps = from.steps;
  if (from.epochs > 0) options.epochs = from.epochs;
  if (from.seed > 0) options.seed = from.seed;
  if (from.output != nullptr) options.output = from.output;
  if (from.checkpoint != nullptr) options.checkpoint = from.checkpoint;
  options.checkpoint_steps = from.checkpoint_steps;
  return options;
}

/// `std::getenv`, which only this file calls.
const char* environmentOf(const char* name) {
  return std::getenv(name);
}

program::Declaration declarationOf(const sumac_declaration* given) {
  constexpr auto kWhat = "sumac_declare: declaration";
  requireStruct(given, kWhat);
  const sumac_declaration from = copyIn(given, kWhat);
  constexpr std::int64_t kMostValues = (std::int64_t{1} << 29U) - 1;
  require(1 <= from.values && from.values <= kMostValues,
          "sumac_declare: values is not from 1 to 2^29 - 1");
  require(1 <= from.samples && from.samples <= std::numeric_limits<std::int32_t>::max(),
          "sumac_declare: samples is not from 1 to 2^31 - 1");
  program::Declaration declared{from.values, from.samples, {}};
  if (from.lines != nullptr) declared.lines = from.lines;
  if (const auto right = program::checkLines(declared.lines); !right)
    throw Misuse("sumac_declare: " + right.error().message);
  return declared;
}

sumac_job jobOf(sumac_member& handle, const program::ProgramMember& member) {
  const program::Settings& settings = member.settings();
  sumac_job job{};
  job.batch_size = settings.job.training.batch_size;
  job.seed = settings.job.training.seed;
  job.parts = settings.job.training.logical_workers;
  job.workers = settings.job.worker.replicas;
  job.index = settings.index;
  job.is_alone = settings.is_alone ? 1 : 0;
  if (!settings.is_alone && settings.job.program) {
    job.threads = settings.job.program->threads;
    job.verify = settings.job.program->verify;
  }
  if (member.isDeclared()) {
    job.steps = member.setup().total_steps;
    job.epoch_steps = member.setup().steps_per_epoch;
  }
  job.name = settings.job.name.c_str();
  job.output = settings.output_folder.c_str();
  handle.output = settings.output_folder;
  return job;
}

/// The turn as the program sees it.
sumac_turn turnOf(sumac_member& handle) {
  const program::Turn& from = handle.member.turn();
  const program::ProgramSetup& setup = handle.member.setup();
  sumac_turn turn{};
  turn.task = static_cast<std::int32_t>(from.task);
  turn.is_again = from.is_again ? 1 : 0;
  turn.step = from.step;
  turn.epoch = setup.epochOf(from.step);
  turn.ends_epoch = from.step % setup.steps_per_epoch == 0 ? 1 : 0;
  turn.is_writer = from.is_writer ? 1 : 0;
  turn.first = from.block.begin;
  turn.count = from.block.size();
  turn.position = from.position;
  turn.workers = from.workers;
  if (from.task == program::Ask::kUpdate) {
    turn.sum = from.sum.data();
    turn.loss = from.loss;
  }
  if (from.state != nullptr) {
    handle.state = handle.incoming.stateOf(*from.state);
    turn.state = &handle.state;
  }
  return turn;
}

static_assert(static_cast<int>(program::Ask::kCompute) == SUMAC_COMPUTE);
static_assert(static_cast<int>(program::Ask::kUpdate) == SUMAC_UPDATE);
static_assert(static_cast<int>(program::Ask::kLoad) == SUMAC_LOAD);
static_assert(static_cast<int>(program::Ask::kLast) == SUMAC_LAST);

int codeOf(program::Next next) {
  switch (next) {
    case program::Next::kTurn: return SUMAC_OK;
    case program::Next::kTimeout: return SUMAC_TIMEOUT;
    case program::Next::kStopped: return SUMAC_STOP;
    case program::Next::kEnded: return SUMAC_ENDED;
  }
  return SUMAC_ENDED;
}

/// Throws Misuse unless they make a vector of `values`.
void takePieces(const sumac_pieces* given, std::int64_t values,
                std::vector<program::Piece>& pieces) {
  constexpr auto kWhat = "sumac_add_pieces: pieces";
  constexpr std::size_t kMostPieces = 65537;
  requireStruct(given, kWhat);
  const sumac_pieces from = copyIn(given, kWhat);
  require(from.count <= kMostPieces, "sumac_add_pieces: more than 65,537 pieces");
  require(from.count == 0 || (from.values != nullptr && from.counts != nullptr),
          "sumac_add_pieces: a null pointer");
  pieces.clear();
  std::int64_t room = values;
  for (std::size_t i = 0; i < from.count; ++i) {
    const std::int64_t count = from.counts[i];
    require(0 <= count && count <= room,
            "sumac_add_pieces: the pieces have not as many values as were declared");
    room -= count;
    pieces.push_back({from.values[i], static_cast<std::size_t>(count)});
  }
  require(room == 0, "sumac_add_pieces: the pieces have not as many values as were declared");
}

std::optional<double> knownOf(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace

int sumac_version(void) {
  return SUMAC_VERSION;
}

int sumac_open(const sumac_options* options, sumac_member** member) {
  if (member == nullptr) return SUMAC_MISUSE;
  *member = nullptr;
  try {
    auto handle = std::make_unique<sumac_member>(optionsOf(options), environmentOf);
    if (options != nullptr) {
      const sumac_options from = copyIn(options, "sumac_open: options");
      handle->log = from.log;
      handle->log_context = from.log_context;
    }
    if (handle->member.end()) handle->reason = handle->member.end()->reason;
    drain(*handle);
    const bool has_ended = handle->member.end().has_value();
    *member = handle.release();
    return has_ended ? SUMAC_ENDED : SUMAC_OK;
  } catch (const Misuse&) {
    return SUMAC_MISUSE;
  } catch (...) {  // without memory
    return SUMAC_ENDED;
  }
}

int sumac_declare(sumac_member* member, const sumac_declaration* declaration) {
  return guarded(member, [&](program::ProgramMember& opened) {
    program::Declaration declared = declarationOf(declaration);
    return opened.declare(std::move(declared)) ? SUMAC_OK : SUMAC_ENDED;
  });
}

int sumac_job_is(sumac_member* member, sumac_job* job) {
  return guarded(member, [&](program::ProgramMember& opened) {
    requireStruct(job, "sumac_job_is: job");
    if (opened.end() && !opened.isDeclared()) return SUMAC_ENDED;
    copyOut(jobOf(*member, opened), job);
    return SUMAC_OK;
  });
}

int sumac_samples(sumac_member* member, int64_t step, int32_t part, int64_t* out, size_t room,
                  size_t* count) {
  return guarded(member, [&](program::ProgramMember& opened) {
    require(opened.isDeclared(), "sumac_samples: call sumac_declare() first");
    require(count != nullptr && (out != nullptr || room == 0), "sumac_samples: a null pointer");
    constexpr std::int64_t kMostSteps = std::int64_t{1} << 50U;
    require(1 <= step && step <= kMostSteps, "sumac_samples: steps count from 1");
    require(0 <= part && part < opened.setup().parts(), "sumac_samples: the job has no such part");
    const auto samples = opened.samples(step, part);
    *count = samples.size();
    if (room >= samples.size()) std::ranges::copy(samples, out);
    return SUMAC_OK;
  });
}

int sumac_state_is(sumac_member* member, const sumac_state* state) {
  return guarded(member, [&](program::ProgramMember& opened) {
    constexpr auto kWhat = "sumac_state_is: state";
    requireStruct(state, kWhat);
    const sumac_state from = copyIn(state, kWhat);
    if (opened.end()) return SUMAC_ENDED;
    program::takeState(from, opened.beginState(from.step));
    opened.endState(from.step);
    return SUMAC_OK;
  });
}

int sumac_next(sumac_member* member, int timeout_ms, sumac_turn* turn) {
  return guarded(member, [&](program::ProgramMember& opened) {
    requireStruct(turn, "sumac_next: turn");
    const int code = codeOf(opened.next(deadlineOf(timeout_ms)));
    if (code == SUMAC_OK) copyOut(turnOf(*member), turn);
    return code;
  });
}

int sumac_add(sumac_member* member, int64_t step, int32_t part, const float* values, float loss) {
  return guarded(member, [&](program::ProgramMember& opened) {
    if (opened.end()) return SUMAC_ENDED;
    require(opened.isDeclared(), "sumac_add: the turn is not SUMAC_COMPUTE");
    require(values != nullptr, "sumac_add: a null pointer");
    const std::size_t count = static_cast<std::size_t>(opened.setup().declared.values);
    const std::array<program::Piece, 1> whole{{{values, count}}};
    return opened.add(step, part, whole, loss) ? SUMAC_OK : SUMAC_STOP;
  });
}

int sumac_add_pieces(sumac_member* member, int64_t step, int32_t part, const sumac_pieces* pieces,
                     float loss) {
  return guarded(member, [&](program::ProgramMember& opened) {
    if (opened.end()) return SUMAC_ENDED;
    require(opened.isDeclared(), "sumac_add: the turn is not SUMAC_COMPUTE");
    takePieces(pieces, opened.setup().declared.values, member->pieces);
    return opened.add(step, part, member->pieces, loss) ? SUMAC_OK : SUMAC_STOP;
  });
}

int sumac_metrics(sumac_member* member, const sumac_metric* metric) {
  return guarded(member, [&](program::ProgramMember& opened) {
    constexpr auto kWhat = "sumac_metrics: metric";
    requireStruct(metric, kWhat);
    const sumac_metric from = copyIn(metric, kWhat);
    if (opened.end()) return SUMAC_ENDED;
    sumac::Evaluated evaluation;
    evaluation.valid_loss = knownOf(from.validation_loss);
    evaluation.valid_accuracy = knownOf(from.validation_accuracy);
    evaluation.test_loss = knownOf(from.test_loss);
    evaluation.test_accuracy = knownOf(from.test_accuracy);
    for (const auto& share : {evaluation.valid_accuracy, evaluation.test_accuracy})
      require(!share || (*share >= 0 && *share <= 1), "sumac_metrics: accuracies are 0 to 1");
    opened.metrics(evaluation);
    return SUMAC_OK;
  });
}

int sumac_fail(sumac_member* member, int exit_code, const char* message) {
  return guarded(member, [&](program::ProgramMember& opened) {
    require(message != nullptr, "sumac_fail: a null pointer");
    const bool is_known = exit_code == sumac::toInt(sumac::ExitCode::kFailed) ||
                          exit_code == sumac::toInt(sumac::ExitCode::kResourceFailed);
    require(is_known, "sumac_fail: the exit code is neither 1 nor 74");
    constexpr std::size_t kMostText = 1024;
    const std::string_view text(message, ::strnlen(message, kMostText));
    const std::string_view known = text.empty() ? "the program gave no reason" : text;
    opened.fail(static_cast<sumac::ExitCode>(exit_code), std::string(known));
    return SUMAC_ENDED;
  });
}

int sumac_leave(sumac_member* member) {
  if (member == nullptr) return SUMAC_MISUSE;
  if (member->process != ::getpid()) return SUMAC_FORKED;
  try {
    member->member.leave();
  } catch (...) {
    return SUMAC_ENDED;
  }
  return SUMAC_OK;
}

const char* sumac_reason(const sumac_member* member) {
  return member == nullptr ? "the member is a null pointer" : member->reason.c_str();
}

int64_t sumac_bad_value(const sumac_member* member) {
  return member == nullptr ? -1 : member->member.badValue().value_or(-1);
}

int sumac_exit_code(const sumac_member* member) {
  if (member == nullptr || !member->member.end()) return -1;
  return sumac::toInt(member->member.end()->code);
}

void sumac_close(sumac_member* member) {
  if (member == nullptr || member->process != ::getpid()) return;
  try {
    delete member;
  } catch (...) {  // its threads have ended
  }
}
