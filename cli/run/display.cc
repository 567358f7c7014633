#include "cli/run/display.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string_view>
#include <utility>
#include <variant>

#include "base/core/text.h"
#include "base/core/units.h"

namespace sumac::cli {
namespace {

constexpr std::chrono::milliseconds kTerminalPeriod{100};
constexpr std::chrono::milliseconds kPlainPeriod{2000};
constexpr std::string_view kGap = "   ";

}  // namespace

std::string progressLine(const Progress& progress, int columns) {
  std::string line = "step " + std::to_string(progress.step);
  if (progress.total_steps > 0) {
    line += "/" + std::to_string(progress.total_steps);
    line.append(kGap) += std::to_string(progress.percentage()) + " %";
  }
  if (progress.epoch > 0) line.append(kGap) += "epoch " + std::to_string(progress.epoch);
  line.append(kGap) += "loss " + (progress.loss ? fixedText(*progress.loss, 4) : "not finite");
  if (progress.perplexity) line.append(kGap) += "perplexity " + fixedText(*progress.perplexity, 2);
  if (progress.samples_per_second) {
    line.append(kGap) += fixedText(*progress.samples_per_second, 0) + " samples/s";
  }
  if (const auto left = progress.remainingSeconds()) {
    line.append(kGap) += std::to_string(*left) + " s left";
  }
  // One column stays free: a full last column makes some terminals wrap.
  const auto room = static_cast<std::size_t>(std::max(columns, 2) - 1);
  if (line.size() > room) line.resize(room);
  return line;
}

std::string evaluationLine(const Evaluated& evaluation) {
  std::string line;
  if (evaluation.epoch > 0) {
    line += "epoch " + std::to_string(evaluation.epoch);
    line.append(kGap);
  }
  line += "step " + std::to_string(evaluation.step);
  if (evaluation.valid_accuracy) {
    line.append(kGap) += "validation accuracy " + percentText(*evaluation.valid_accuracy, 2);
    if (evaluation.valid_loss && !evaluation.test_accuracy)
      line.append(kGap) += "validation loss " + fixedText(*evaluation.valid_loss, 4);
  }
  if (evaluation.test_accuracy) {
    line.append(kGap) += "test accuracy " + percentText(*evaluation.test_accuracy, 2);
  }
  if (evaluation.valid_perplexity) {
    line.append(kGap) += "valid perplexity " + fixedText(*evaluation.valid_perplexity, 2);
  }
  if (evaluation.test_perplexity) {
    line.append(kGap) += "test perplexity " + fixedText(*evaluation.test_perplexity, 2);
  } else if (evaluation.test_accuracy && evaluation.test_loss) {
    line.append(kGap) += "test loss " + fixedText(*evaluation.test_loss, 4);
  }
  return line;
}

std::string changeLine(const MembersChanged& change) {
  std::string line = "step " + std::to_string(change.step);
  line.append(kGap) += counted(change.workers, "worker");
  if (change.servers > 0) line += ", " + counted(change.servers, "server");
  if (!change.cause.empty()) line.append(kGap) += printable(change.cause);
  line.append(kGap) += "pause " + durationText(change.pause_seconds);
  if (change.redone > 0) line += ", " + counted(change.redone, "step") + " redone";
  if (change.bytes > 0) line += ", " + bytesText(change.bytes) + " moved";
  return line;
}

void Display::show(const JobEvent& event, TimePoint now) {
  if (const auto* progress = std::get_if<Progress>(&event)) {
    pending_ = *progress;
    tick(now);
  } else if (const auto* evaluation = std::get_if<Evaluated>(&event)) {
    note(evaluationLine(*evaluation));
  } else if (const auto* changed = std::get_if<MembersChanged>(&event)) {
    note(changeLine(*changed));
  }
}

void Display::tick(TimePoint now) {
  if (pending_ && (!next_draw_ || now >= *next_draw_)) draw(now);
}

std::optional<TimePoint> Display::deadline() const {
  return pending_ ? next_draw_ : std::nullopt;
}

void Display::draw(TimePoint now) {
  const auto line = progressLine(*pending_, terminal_.is_tty ? terminal_.columns : 1000);
  if (terminal_.is_tty) {
    clearLine();
    out_ << (terminal_.color ? "\x1b[36m" + line + "\x1b[0m" : line) << std::flush;
    has_live_line_ = true;
  } else {
    out_ << line << std::endl;
  }
  next_draw_ = now + (terminal_.is_tty ? kTerminalPeriod : kPlainPeriod);
  drawn_ = *std::exchange(pending_, std::nullopt);
}

void Display::clearLine() {
  if (has_live_line_) out_ << "\r\x1b[K";
  has_live_line_ = false;
}

void Display::note(const std::string& text) {
  const bool redraw = has_live_line_;
  clearLine();
  out_ << text << std::endl;
  if (!redraw || !drawn_) return;
  if (!pending_) pending_ = drawn_;
  draw(next_draw_.value_or(TimePoint{}) - kTerminalPeriod);
}

void Display::finish() {
  if (pending_) draw(next_draw_.value_or(TimePoint{}));
  if (has_live_line_) out_ << std::endl;
  has_live_line_ = false;
}

}  // namespace sumac::cli
