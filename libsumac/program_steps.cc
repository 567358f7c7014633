#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "libsumac/misuse.h"
#include "libsumac/program_run.h"

// A program's steps: parts are added, sums come, and time is counted.

namespace sumac::program {

using worker::Outcome;

namespace {

/// The first value that is no number; their count if there is none. As bits: a pass over them all
/// costs little.
std::size_t firstNotFinite(std::span<const float> values) {
  constexpr std::uint32_t kExponent = 0x7F800000U;
  const auto isBad = [](float value) {
    return (std::bit_cast<std::uint32_t>(value) & kExponent) == kExponent;
  };
  constexpr std::size_t kBlock = 4096;
  for (std::size_t first = 0; first < values.size(); first += kBlock) {
    const auto block = values.subspan(first, std::min(kBlock, values.size() - first));
    unsigned bad = 0;
    for (const float value : block)
      bad |= static_cast<unsigned>(isBad(value));
    if (bad != 0)
      return first + static_cast<std::size_t>(std::ranges::find_if(block, isBad) - block.begin());
  }
  return values.size();
}

std::string textOf(float value) {
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

}  // namespace

ProgramRun::Maybe ProgramRun::makeStep(Step step, TimePoint until) {
  if (phase_ == Phase::kBuffers) {
    if (const auto over = exchange_.awaitBuffers(step, until))
      return isNotYet(*over) ? Maybe() : withoutSum(*over);
    timer_.begin(clock_.now());
    begun_ = clock_.now();
    sums_.begin(step);
    phase_ = Phase::kCompute;
    ask(Ask::kCompute, step);
    turn_.is_again = step <= most_asked_;
    most_asked_ = std::max(most_asked_, step);
    return std::nullopt;
  }
  if (phase_ == Phase::kCompute && !sums_.isWhole()) {
    phase_ = Phase::kBuffers;
    const auto end = exchange_.end();
    return end ? unlessEnded(end) : Outcome::kNoSum;
  }
  if (phase_ == Phase::kUpdate) {
    phase_ = Phase::kBuffers;
    count(step);
    return Outcome::kDone;
  }
  phase_ = Phase::kSum;
  const worker::StepEvent event = exchange_.awaitSum(step, until);
  if (isNotYet(event)) return std::nullopt;
  waited_ += secondsBetween(mark_, clock_.now());
  phase_ = Phase::kBuffers;
  const auto* const sum = std::get_if<worker::Sum>(&event);
  return sum == nullptr ? withoutSum(event) : takeSum(step, sum->values);
}

ProgramRun::Maybe ProgramRun::takeSum(Step step, std::span<const float> values) {
  const std::span<const float> all = values.first(static_cast<std::size_t>(setup_.plan.values));
  if (const std::size_t bad = firstNotFinite(all); bad < all.size()) {
    const bool is_loss = bad + 1 == all.size();
    bad_value_ = static_cast<std::int64_t>(bad);
    return failed(
        {ErrorCode::kInvalid,
         "the sum of step " + std::to_string(step) + " is not finite: " +
             (is_loss ? "the loss" : "value " + std::to_string(bad)) + " is " + textOf(all[bad]) +
             "; it will be so again when the job is resumed: train it in another folder with a "
             "lower learning rate"});
  }
  incoming_.reset();  // everybody has begun this step, so with its state
  last_.step = step;
  last_.loss = static_cast<double>(all.back());
  phase_ = Phase::kUpdate;
  ask(Ask::kUpdate, step);
  turn_.sum = all.first(all.size() - 1);
  turn_.loss = last_.loss;
  return std::nullopt;
}

void ProgramRun::count(Step step) {
  const TimePoint now = clock_.now();
  timer_.end(now);
  snapshot_.compute_seconds = computed_ + updated_;
  snapshot_.update_seconds = updated_;
  snapshot_.sum_wait_seconds = waited_;
  snapshot_.step_durations.observe(secondsBetween(begun_, now));
  snapshot_.step = step;
  snapshot_.total_steps = setup_.total_steps;
  snapshot_.epoch = setup_.epochOf(step);
  snapshot_.loss = last_.loss;
  ++snapshot_.steps;
  const auto share = [this](int part) { return part * setup_.batchSize() / setup_.parts(); };
  snapshot_.samples += share(start_.block.end) - share(start_.block.begin);
  published_.set(snapshot_);
  constexpr double kPerSecond = 1000;
  exchange_.setComputed({static_cast<std::uint32_t>(snapshot_.steps),
                         static_cast<std::uint32_t>(kPerSecond * part_)});
}

bool ProgramRun::add(Step step, int part, std::span<const Piece> pieces, float loss) {
  require(asked_ == Ask::kCompute, "sumac_add: the turn is not SUMAC_COMPUTE");
  require(step == turn_.step, "sumac_add: the step is not the turn's");
  require(!sums_.isWhole(), "sumac_add: all parts of the turn were added: call sumac_next()");
  if (part != sums_.next())
    throw Misuse("sumac_add: part " + std::to_string(part) + " came in place of part " +
                 std::to_string(sums_.next()));
  exchange_.work().add();
  if (isOver(step)) return false;
  sums_.add(pieces, loss);
  if (!sums_.isWhole()) return true;
  const TimePoint now = clock_.now();
  const double seconds = secondsBetween(mark_, now);
  computed_ += seconds;
  part_ += seconds / start_.block.size();
  mark_ = now;
  exchange_.submit(step, sums_.contributions());
  return true;
}

Outcome ProgramRun::withoutSum(const worker::StepEvent& event) {
  const auto* const end = std::get_if<ProcessEnd>(&event);
  return end == nullptr ? Outcome::kNoSum : unlessEnded(*end);
}

}  // namespace sumac::program
