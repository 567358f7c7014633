#include "job/document/nearest.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>

namespace sumac::job {

namespace {

constexpr std::size_t kLongestWord = 64;

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

/// The number of insertions, removals and replacements from one to the other, ignoring case.
/// Requires words of at most kLongestWord characters.
std::size_t editDistance(std::string_view from, std::string_view to) {
  std::array<std::size_t, kLongestWord + 1> row{};
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(from[i]) == lower(to[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[to.size()];
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& names) {
  if (word.size() > kLongestWord) return "";
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& name : names) {
    if (name.size() > kLongestWord) continue;
    const std::size_t distance = editDistance(word, name);
    if (distance >= best_distance || distance >= name.size()) continue;
    best = name;
    best_distance = distance;
  }
  return best;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& names) {
  const std::string name = nearest(word, names);
  return name.empty() ? "" : "; did you mean `" + name + "`?";
}

}  // namespace sumac::job
