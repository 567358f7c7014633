#pragma once

#include <string>

namespace sumac::report {

struct Report;

/// A report as a page in one file, which asks for nothing, runs nothing, and is light, dark or
/// white paper as its reader wants. A table lies in a box that scrolls where the screen is
/// narrower; its rows after Table::most_rows are folded, and those after 5,000 left out. Requires
/// rows as long as their table's columns.
std::string toPage(const Report& report);

}  // namespace sumac::report
