#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sumac::report {

struct Report;
struct Table;

/// Where a text is shown.
struct TextStyle {
  int columns = 0;       // of the terminal; 0: a file or a pipe, whose lines may have any length
  bool is_wide = false;  // sections for Audience::kWide, too, and all rows
  bool has_utf8 = true;  // else "±" becomes "+-", and other characters beyond ASCII become "?"
};

/// For terminals, pipes and files: headings, sentences and tables with aligned columns. Nothing is
/// longer than a line of the terminal: sentences are broken between words, a table that is too wide
/// first in its sentences, then its columns move closer, then each field has a line, and a word
/// that no line holds is broken after a backslash, as a shell reads it. Control characters become
/// spaces.
std::string toText(const Report& report, const TextStyle& style);

/// One table, without its caption: columns aligned to the left and three spaces apart, as kubectl
/// prints them. A table without rows has its header alone.
std::string toText(const Table& table, const TextStyle& style);

/// All rows of a table of texts; where it is too wide, its last column is a sentence. Requires rows
/// as long as `titles`.
std::string tableText(const std::vector<std::string>& titles,
                      const std::vector<std::vector<std::string>>& rows, const TextStyle& style);

/// How wide the longest line of a text is.
int widest(std::string_view lines);

/// A text broken into lines of at most so many columns, each but the first after `indent` spaces;
/// 0: one line. Widths count code points of UTF-8.
std::string wrapped(std::string_view text, int columns, int indent = 0);

}  // namespace sumac::report
