#include "base/trace/step_range.h"

#include <charconv>
#include <optional>

namespace sumac::trace {
namespace {

/// A whole number from 1 on; nothing for anything else.
std::optional<Step> stepIn(std::string_view text) {
  Step step = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, step);
  if (error != std::errc() || stopped != end || step < 1) return std::nullopt;
  return step;
}

}  // namespace

Result<StepRange> stepRangeFrom(std::string_view text) {
  const auto invalid = [text](const std::string& why) {
    return Error{ErrorCode::kInvalid, "`" + std::string(text) + "` " + why};
  };
  const auto colon = text.find(':');
  const auto from = stepIn(text.substr(0, colon));
  const auto to = colon == text.npos ? std::nullopt : stepIn(text.substr(colon + 1));
  if (!from || !to)
    return invalid("is not a range of steps; write FROM:TO, such as 10:20; steps count from 1");
  if (*from > *to) return invalid("ends before it begins; write the lower step first");
  return StepRange{*from, *to};
}

std::string toString(const StepRange& steps) {
  return std::to_string(steps.from) + ":" + std::to_string(steps.to);
}

std::string checkStepRange(const std::string& text) {
  const auto range = stepRangeFrom(text);
  return range ? std::string() : range.error().message;
}

}  // namespace sumac::trace
