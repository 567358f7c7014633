#pragma once

#include <optional>
#include <ostream>
#include <string>

#include "base/core/clock.h"
#include "job/progress/job_event.h"

namespace sumac::cli {

/// The terminal that shows progress.
struct Terminal {
  bool is_tty = false;
  bool color = false;
  int columns = 80;
};

/// "step 120/2400   5 %   epoch 2   loss 0.4312   12345 samples/s   19 s left", cut to `columns`.
std::string progressLine(const Progress& progress, int columns);

/// "epoch 2   step 240   test accuracy 81.20 %   test loss 0.5210", or of text
/// "epoch 2   step 240   valid perplexity 223.51".
std::string evaluationLine(const Evaluated& evaluation);

/// "step 124   3 workers, 1 server   worker 2 joined   pause 41 ms, 1 step redone, 1.2 MB moved".
std::string changeLine(const MembersChanged& change);

/// Shows events: on a terminal as one line, redrawn at most ten times a second, elsewhere as a line
/// every two seconds. Evaluations and changes of members have lines of their own.
class Display {
 public:
  Display(std::ostream& out, Terminal terminal) : out_(out), terminal_(terminal) {}

  void show(const JobEvent& event, TimePoint now);

  /// Draws an update that was delayed.
  void tick(TimePoint now);

  /// When to call tick(); nothing without a delayed update.
  std::optional<TimePoint> deadline() const;

  /// Prints a permanent line above the live one.
  void note(const std::string& text);

  /// Draws the last state and ends the live line.
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
