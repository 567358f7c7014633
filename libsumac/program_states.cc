#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <variant>

#include "base/core/crc32c.h"

#include "libsumac/program_run.h"

// A program's state, on its way from another worker and to others.

namespace sumac::program {

using worker::Outcome;

namespace {

constexpr std::size_t kValueBytes = StateTransfer::kValueBytes;
constexpr std::uint64_t kMostValues = checkpoint::kMostStateBytes / kValueBytes;

}  // namespace

ProgramRun::Maybe ProgramRun::receiveState(Step step, TimePoint until) {
  if (std::exchange(is_loaded_, false)) {
    log_.info("state received", {{"step", step}});
    return Outcome::kDone;
  }
  const worker::StateEvent came = exchange_.awaitState(until);
  if (isNotYet(came)) return std::nullopt;
  if (const auto* const end = std::get_if<ProcessEnd>(&came)) return unlessEnded(*end);
  if (std::holds_alternative<worker::StopAfter>(came)) return Outcome::kNoSum;
  return takeState(step, std::get<StateArrival>(came));
}

ProgramRun::Maybe ProgramRun::takeState(Step step, StateArrival arrival) {
  const std::string what = "the state of step " + std::to_string(step) + " that " +
                           toString(start_.roster.sources.at(slot())) + " sent cannot be used: ";
  if (arrival == StateArrival::kWrong)
    return failed({ErrorCode::kInvalid, what + "twice its checksum was wrong, or this process has "
                                               "no memory for it"});
  auto state =
      checkpoint::programStateFrom(std::as_bytes(incoming_->bytes.values()), kValueBytes - 1);
  if (!state) return failed({ErrorCode::kInvalid, what + state.error().message});
  if (state->step != step)
    return failed({ErrorCode::kInvalid, what + "it is of step " + std::to_string(state->step)});
  load(*std::move(state));
  return std::nullopt;
}

/// Only the sender knows the size of the state.
StateRoom ProgramRun::room(Step step) {
  incoming_ = std::make_shared<Incoming>();
  StateRoom room;
  room.step = step;
  room.owner = incoming_;
  room.make = [incoming = incoming_](std::uint64_t values) -> std::optional<StateRoom::Pieces> {
    if (values > kMostValues) return std::nullopt;
    try {
      incoming->bytes = AlignedBuffer(values);
    } catch (const std::bad_alloc&) {
      return std::nullopt;
    }
    return StateRoom::Pieces{std::as_writable_bytes(incoming->bytes.values())};
  };
  return room;
}

/// What the program keeps, as it lies in its memory; the end is filled up to a whole value.
StateView ProgramRun::view() {
  static constexpr std::array<std::byte, kValueBytes> kPadding{};
  head_ = checkpoint::headOf(registered_);
  StateView view{registered_.step, {head_}};
  std::size_t bytes = head_.size();
  for (const auto& tensor : registered_.tensors) {
    view.pieces.push_back(tensor.view.data);
    bytes += tensor.view.data.size();
  }
  const std::size_t over = bytes % kValueBytes;
  if (over != 0) view.pieces.push_back(BytesView(kPadding).first(kValueBytes - over));
  return view;
}

std::uint32_t ProgramRun::weightsCrc() const {
  std::uint32_t crc = 0;
  for (const auto& tensor : registered_.tensors)
    if (tensor.is_model) crc = crc32c(tensor.view.data, crc);
  return crc;
}

}  // namespace sumac::program
