#include "cli/cluster/progress_text.h"

#include <algorithm>

#include "base/core/units.h"
#include "cli/cluster/time_text.h"

namespace sumac::cli {

std::string progressText(const Progress& progress, WallTime now) {
  std::string text = "step " + std::to_string(progress.step) + "/" +
                     std::to_string(progress.total_steps) + " (" +
                     std::to_string(progress.percentage()) + " %)";
  // A job that ended before anybody asked how far it is has none.
  if (progress.epoch > 0) text += ", epoch " + std::to_string(progress.epoch);
  if (progress.loss) text += ", loss " + shortDecimal(progress.loss);
  if (progress.samples_per_second) {
    text += ", " + shortDecimal(progress.samples_per_second) + " samples/s";
  }
  const auto left = remaining(progress, now);
  if (left && left->count() > 0) text += ", " + durationText(*left) + " left";
  if (progress.last_update) text += ", seen " + ageText(progress.last_update, now) + " ago";
  return text;
}

std::string checkpointText(const Progress& progress) {
  std::string text;
  if (progress.checkpoint) text = "of step " + std::to_string(*progress.checkpoint);
  if (!progress.skipped) return text;
  if (text.empty()) text = "none known";
  return text + "; that of step " + std::to_string(*progress.skipped) +
         " was skipped: is the volume full? See the log of worker 0";
}

std::optional<std::chrono::seconds> remaining(const Progress& progress, WallTime now) {
  const auto then = progress.remainingSeconds();
  if (!then) return std::nullopt;
  std::chrono::seconds left(*then);
  if (progress.last_update && now > *progress.last_update) {
    left -= std::chrono::floor<std::chrono::seconds>(now - *progress.last_update);
  }
  return std::max(left, std::chrono::seconds(0));
}

std::string shortDecimal(std::optional<double> value) {
  return value ? digitsText(*value, 4) : std::string();
}

std::string progressBar(int percentage, int width) {
  const int inside = std::max(width - 2, 1);
  const int done = std::clamp(percentage, 0, 100) * inside / 100;
  return "[" + std::string(static_cast<std::size_t>(done), '#') +
         std::string(static_cast<std::size_t>(inside - done), '.') + "]";
}

}  // namespace sumac::cli
