#pragma once

#include <ostream>
#include <string>

#include "cli/run/display.h"

namespace sumac::cli {

/// Shows how an experiment goes on: on a terminal a table that is drawn again in its place with a
/// line below it, elsewhere a line for each run.
class LiveView {
 public:
  LiveView(std::ostream& out, Terminal terminal) : out_(out), terminal_(terminal) {}

  /// The state before a run begins: the table, and what is running with what remains.
  void show(const std::string& table, const std::string& status);

  /// Prints a permanent line: all of the state where there is no terminal.
  void note(const std::string& line);

  /// Removes the live table, so that the last one can be printed.
  void finish();

 private:
  std::ostream& out_;  // outlives us
  const Terminal terminal_;
  int drawn_lines_ = 0;
};

}  // namespace sumac::cli
