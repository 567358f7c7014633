#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/report/drawing.h"
#include "base/report/report.h"

namespace sumac::report {

namespace markup {  // what pages are still made of by hand

/// A field of a table.
struct Field {
  std::string text;
  std::string aside{};  // of less weight, after the text: an interval
  std::string badge{};  // a word that marks the row: "emulated"
  /// Where a figure comes from: "measured", "published", another word. The frames of the first two
  /// and of all others differ, so that nobody has to read every word.
  std::string origin{};
};

struct Column {
  std::string title;
  bool is_number = false;    // aligned to the right
  bool is_sentence = false;  // broken into lines, as no other column is
};

/// A table with a caption, the same width of every row.
struct Table {
  std::string caption;
  std::vector<Column> columns;
  std::vector<std::vector<Field>> rows;
};

std::string toHtml(const Table& table);

}  // namespace markup

/// In a box that scrolls where the screen is narrower; the rows after `most_rows` folded, and those
/// after 5,000 left out. Requires rows as long as `columns`.
std::string toHtml(const Table& table);

/// Sentences, each on its own.
std::string list(const std::vector<std::string>& items);

/// Names with what they stand for.
std::string definitionList(const std::vector<std::pair<std::string, std::string>>& entries);

/// What everything else follows from, in a box that stands out: sentences, then how they were
/// found.
std::string keyFindings(const std::vector<std::string>& sentences, const std::string& basis);

/// Pictures beside each other where the screen is wide enough.
std::string pictures(const std::vector<Drawing>& drawings);

/// A heading with what belongs to it. `content` is markup.
std::string section(std::string_view heading, const std::string& content);

/// A paragraph; `text` is any text.
std::string paragraph(std::string_view text);

/// Lines as they are, such as a command; in a box that scrolls.
std::string preformatted(std::string_view text);

/// What only some readers want, folded under one line. `content` is markup.
std::string folded(std::string_view line, const std::string& content);

/// A whole page, in one file: it asks for nothing, runs nothing, and is light, dark or white paper
/// as its reader wants. `content` is markup.
std::string htmlPage(const Heading& heading, const std::string& content);

/// The page of a whole report.
std::string toPage(const Report& report);

}  // namespace sumac::report
