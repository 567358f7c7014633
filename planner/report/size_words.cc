#include "planner/report/size_words.h"

#include <fmt/format.h>
#include <vector>

#include "base/core/units.h"
#include "planner/autoscaling/useful_sizes.h"

namespace sumac::planner {
namespace {

using autoscaling::busiestParts;
using autoscaling::smallestAsFast;

/// "1, 2 and 4".
std::string listed(const std::vector<int>& numbers) {
  std::string text = std::to_string(numbers.front());
  for (std::size_t i = 1; i < numbers.size(); ++i)
    text += (i + 1 < numbers.size() ? ", " : " and ") + std::to_string(numbers[i]);
  return text;
}

/// "5 workers are as fast as 4: with both, the busiest one computes 2 of 8 parts".
std::string asFastText(int parts, int workers, int fewer) {
  return fmt::format("{} are as fast as {}: with both, the busiest one computes {} of {}",
                     counted(workers, "worker"), fewer, busiestParts(parts, workers),
                     counted(parts, "part"));
}

}  // namespace

std::string sizesText(const WorkerSizes& sizes) {
  const bool is_possible = 1 <= sizes.least && sizes.least <= sizes.workers &&
                           sizes.workers <= sizes.most && sizes.most <= sizes.parts;
  if (!is_possible) return {};
  if (sizes.least == sizes.most) {
    const int fewer = smallestAsFast(sizes.parts, sizes.workers);
    return fewer < sizes.workers ? asFastText(sizes.parts, sizes.workers, fewer) : "";
  }
  const std::vector<int> useful = autoscaling::usefulSizes(sizes.parts, sizes.least, sizes.most);
  if (std::ssize(useful) == sizes.most - sizes.least + 1) return {};
  if (useful.size() == 1)
    return fmt::format(
        "{} to {} are equally fast: with each number, the busiest one computes {} of {}",
        sizes.least, counted(sizes.most, "worker"), busiestParts(sizes.parts, sizes.least),
        counted(sizes.parts, "part"));
  // The present size, or the largest that is no faster than another.
  int workers = sizes.workers;
  const auto fewer = [&sizes](int size) { return smallestAsFast(sizes.parts, size, sizes.least); };
  if (fewer(workers) == workers)
    for (workers = sizes.most; fewer(workers) == workers;)
      --workers;
  return fmt::format("of {} to {}, only {} differ in speed; {}", sizes.least,
                     counted(sizes.most, "worker"), listed(useful),
                     asFastText(sizes.parts, workers, fewer(workers)));
}

}  // namespace sumac::planner
