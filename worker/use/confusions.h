#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/report/text.h"

namespace sumac::worker {

/// The name of a class, or its number where it has no name.
std::string nameOfClass(const std::vector<std::string>& names, int number);

/// The place of the largest value; of equal ones the first, as the engines count right answers.
int largestOf(const float* values, std::size_t count);

/// Which classes were taken for which. A value type.
class Confusions {
 public:
  /// `names`: of the classes; may be empty.
  Confusions(int classes, std::vector<std::string> names)
      : classes_(classes), names_(std::move(names)) {}

  /// Counts a sample of class `label`.
  void add(int label, int predicted);
  std::int64_t of(int label, int predicted) const;

  /// A table of all classes if there are kMostShown at most and it fits, else of the kMostListed
  /// commonest mistakes.
  std::string text(const report::TextStyle& style = {}) const;
  /// The same as JSON: `counts` by class and by what was predicted, or `commonest`.
  void putInto(nlohmann::ordered_json& json) const;

  static constexpr int kMostShown = 50;
  static constexpr std::size_t kMostListed = 20;

 private:
  struct Mistake {
    int label = 0;
    int predicted = 0;
    std::int64_t count = 0;
  };

  /// The commonest first; equally common ones in the order of their classes.
  std::vector<Mistake> mistakes() const;
  std::string wholeTable() const;

  int classes_;
  std::vector<std::string> names_;
  std::map<std::pair<int, int>, std::int64_t> counts_;
};

}  // namespace sumac::worker
