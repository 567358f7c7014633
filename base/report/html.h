#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/report/drawing.h"
#include "base/report/report.h"

namespace sumac::report {

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
