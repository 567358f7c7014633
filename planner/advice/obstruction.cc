#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/units.h"
#include "planner/advice/advice_parts.h"
#include "planner/advice/texts.h"

namespace sumac::planner {
namespace {

/// The smallest way by some measure among those that `is_in`; nullptr where there is none.
const Way* least(const std::vector<Way>& ways, const std::function<double(const Way&)>& measure,
                 const std::function<bool(const Way&)>& is_in) {
  const Way* best = nullptr;
  for (const Way& way : ways) {
    if (is_in(way) && (best == nullptr || measure(way) < measure(*best))) best = &way;
  }
  return best;
}

double secondsOf(const Way& way) {
  return way.seconds;
}

double costOf(const Way& way) {
  return way.cost.value_or(0);
}

double memoryOf(const Way& way) {
  return static_cast<double>(way.memory.needed());
}

bool fitsMemory(const Way& way) {
  return way.memory.fits();
}

/// What a way needs of the limits that it does not keep: as the ranking compares them.
EnoughLimits needsOf(const AdviceQuestion& question, const Way& way) {
  EnoughLimits needs;
  if (question.deadline_seconds && way.seconds > *question.deadline_seconds)
    needs.deadline_seconds = way.seconds;
  if (question.budget && costOf(way) > *question.budget) needs.budget = way.cost;
  if (!way.memory.fits()) needs.memory_bytes = way.memory.needed();
  return needs;
}

template <typename Value>
void lower(std::optional<Value>& least, const std::optional<Value>& value) {
  if (value && (!least || *value < *least)) least = value;
}

std::vector<EnoughLimits> enoughFor(const AdviceQuestion& question, const std::vector<Way>& ways) {
  EnoughLimits alone;  // each of ways that keep the other limits
  for (const Way& way : ways) {
    const EnoughLimits needs = needsOf(question, way);
    const std::array is_broken = {needs.deadline_seconds.has_value(), needs.budget.has_value(),
                                  needs.memory_bytes.has_value()};
    if (std::ranges::count(is_broken, true) > 1) continue;
    lower(alone.deadline_seconds, needs.deadline_seconds);
    lower(alone.budget, needs.budget);
    lower(alone.memory_bytes, needs.memory_bytes);
  }
  std::vector<EnoughLimits> enough;
  if (alone.deadline_seconds) enough.push_back({.deadline_seconds = alone.deadline_seconds});
  if (alone.budget) enough.push_back({.budget = alone.budget});
  if (alone.memory_bytes) enough.push_back({.memory_bytes = alone.memory_bytes});
  if (enough.empty()) enough.push_back(needsOf(question, ways.front()));
  return enough;
}

std::string noMemoryText(const Way& smallest) {
  const MemberMemory& memory = smallest.memory;
  return "No way fits into the memory of " + std::string(holderOf(memory)) + ", " +
         memoryText(*memory.limit_bytes) + ": the smallest, " + toString(smallest.choice) +
         ", needs " + memoryText(memory.needed()) + "; take " +
         (memory.all_bytes ? "a machine" : "machines") + " with at least that.";
}

std::string whyNone(const AdviceQuestion& question, const Advice& advice) {
  const auto& ways = advice.ways;
  const Way* const fastest = least(ways, secondsOf, fitsMemory);
  const Way* const cheapest = least(ways, costOf, fitsMemory);
  if (fastest == nullptr) return noMemoryText(*least(ways, memoryOf, std::not_fn(fitsMemory)));
  const EnoughLimits time = needsOf(question, *fastest);
  const EnoughLimits money = needsOf(question, *cheapest);
  const std::string no_way =
      std::ranges::all_of(ways, fitsMemory) ? "No way " : "No way that fits into the memory ";
  std::string text;
  if (time.deadline_seconds)
    text = no_way + "meets the deadline of " + durationText(*question.deadline_seconds) +
           ": the fastest, " + toString(fastest->choice) + ", takes " +
           durationText(fastest->seconds) + ".";
  if (money.budget)
    text += (text.empty() ? "" : " ") +
            (no_way + "keeps the budget of " + givenMoneyText(*question.budget, advice.currency)) +
            ": the cheapest, " + toString(cheapest->choice) + ", costs " +
            moneyText(*cheapest->cost, advice.currency) + ".";
  if (!text.empty()) return text;
  return "No way keeps the deadline and the budget together: the fastest, " +
         toString(fastest->choice) + ", costs " + moneyText(costOf(*fastest), advice.currency) +
         "; the cheapest, " + toString(cheapest->choice) + ", takes " +
         durationText(cheapest->seconds) + ".";
}

}  // namespace

void addObstruction(const AdviceQuestion& question, Advice& advice) {
  advice.no_plan = whyNone(question, advice);
  advice.enough = enoughFor(question, advice.ways);
}

}  // namespace sumac::planner
