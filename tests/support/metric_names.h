#pragma once

#include <regex>
#include <set>
#include <stdexcept>
#include <string>

#include "base/core/file.h"

namespace sumac {

/// The first group of every match.
inline std::set<std::string> matchesIn(const std::string& text, const std::string& pattern) {
  std::set<std::string> found;
  const std::regex compiled(pattern);
  for (std::sregex_iterator it(text.begin(), text.end(), compiled), end; it != end; ++it)
    found.insert((*it)[1].str());
  return found;
}

/// The names of all metrics in Prometheus' text format; a histogram is one.
inline std::set<std::string> servedMetrics(const std::string& text) {
  return matchesIn(text, "# TYPE ([a-z_0-9]+) ");
}

/// The names in the first column of the tables in one section ("sumac-worker") of docs/metrics.md,
/// each behind `prefix`. Throws when there is no such section.
inline std::set<std::string> documentedMetrics(const std::filesystem::path& source_folder,
                                               const std::string& section,
                                               const std::string& prefix = "") {
  const auto page = readTextFile(source_folder / "docs/metrics.md", std::uint64_t{1} << 20U);
  if (!page) throw std::runtime_error(page.error().message);
  const auto begin = page->find("\n## " + section + "\n");
  if (begin == std::string::npos) throw std::runtime_error("no section " + section);
  const std::string text = page->substr(begin, page->find("\n## ", begin + 1) - begin);
  std::set<std::string> names;
  for (const std::string& column : matchesIn(text, "\n\\| (`[^|]*) \\|")) {
    for (const std::string& name : matchesIn(column, "`([a-z_0-9]+)(?:\\{[^`]*)?`"))
      names.insert(prefix + name);
  }
  return names;
}

}  // namespace sumac
