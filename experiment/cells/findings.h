#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sumac::experiment {

/// Texts with the combinations that have them, in order of the first.
class CellFindings {
 public:
  void add(const std::string& text, const std::string& combination) {
    const auto [place, is_new] = places_.try_emplace(text, texts_.size());
    if (is_new) texts_.push_back({text, {}});
    texts_[place->second].second.push_back(combination);
  }

  std::vector<std::string> lines(std::size_t cells) const {
    std::vector<std::string> lines;
    for (const auto& [text, combinations] : texts_) {
      std::string line = text;
      if (combinations.size() < cells) {
        for (const std::string& combination : combinations)
          line += "\n    in " + combination;
      } else if (cells > 1) {
        line += "\n    in all " + std::to_string(cells) + " cells";
      }
      lines.push_back(std::move(line));
    }
    return lines;
  }

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> texts_;
  std::map<std::string, std::size_t> places_;
};

}  // namespace sumac::experiment
