#pragma once

#include <optional>
#include <ostream>
#include <string>

#include "cli/run/progress.h"
#include "common/base/clock.h"

namespace sumac::cli {

/// Where progress is shown, and how much it may do there.
struct Terminal {
  bool is_tty = false;
  bool color = false;
  int columns = 80;
};

/// "step 120/2400   5 %   epoch 2   loss 0.4312   12345 samples/s   19 s left", cut to `columns`.
std::string progressLine(const Progress& progress, int columns);

/// "epoch 2   step 240   test accuracy 81.20 %   test loss 0.5210", or of text
/// "epoch 2   step 240   valid perplexity 223.51".
std::string evaluationLine(const Evaluation& evaluation);

/// Shows events: on a terminal one line that is redrawn at most ten times a second, elsewhere a
/// plain line every two seconds; evaluations stay as lines of their own.
class Display {
 public:
  Display(std::ostream& out, Terminal terminal) : out_(out), terminal_(terminal) {}

  void show(const Event& event, TimePoint now);

  /// Draws what was held back.
  void tick(TimePoint now);

  /// When tick() should come; nothing when nothing is held back.
  std::optional<TimePoint> deadline() const;

  /// A line that stays, above the live one.
  void note(const std::string& text);

  /// Ends the live line; the last state is shown.
  void finish();

 private:
  void draw(TimePoint now);
  void clearLine();

  std::ostream& out_;  // outlives us
  const Terminal terminal_;
  std::optional<Progress> pending_;
  std::optional<Progress> drawn_;
  std::optional<TimePoint> next_draw_;
  bool has_live_line_ = false;
};

}  // namespace sumac::cli
