#include "cli/experiment/live_view.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "base/core/text.h"

namespace sumac::cli {
namespace {

// More lines may not fit on the screen: then they could not be drawn over.
constexpr std::size_t kMostTableLines = 20;

}  // namespace

void LiveView::show(const std::string& table, const std::string& status) {
  if (!terminal_.is_tty) return;
  finish();
  std::vector<std::string> lines;
  std::istringstream in(table);
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  if (lines.size() > kMostTableLines) lines.clear();
  lines.push_back(status);
  // One column stays free: a full last column makes some terminals wrap.
  const auto room = static_cast<std::size_t>(std::max(terminal_.columns, 2) - 1);
  for (const std::string& line : lines)
    out_ << wholeCharacters(line, room) << "\n";
  out_ << std::flush;
  drawn_lines_ = static_cast<int>(lines.size());
}

void LiveView::note(const std::string& line) {
  finish();
  out_ << line << std::endl;
}

void LiveView::finish() {
  if (drawn_lines_ > 0) out_ << "\x1b[" << drawn_lines_ << "A\r\x1b[J" << std::flush;
  drawn_lines_ = 0;
}

}  // namespace sumac::cli
