#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiment/document/experiment.h"
#include "experiment/report/comparison.h"

namespace sumac::experiment {

/// What two values of an axis say of each other, in all circumstances in which they were measured.
struct Rivals {
  std::vector<Comparison> ahead;   // the value that comes first in the document is
  std::vector<Comparison> behind;  // the other is
  std::vector<Comparison> untold;

  std::size_t count() const { return ahead.size() + behind.size() + untold.size(); }
};

/// Writes what comparisons say as sentences. The experiment outlives it.
class Wording {
 public:
  explicit Wording(const Experiment& experiment);

  void add(Rivals rivals);

  /// The sentences, at most so many: what is told before what cannot be, by strength, pairs that
  /// exchange nothing, different links and the workers' axis last. Where something cannot be told,
  /// one says so.
  std::vector<std::string> take(std::size_t most);

  std::size_t count() const { return sentences_.size(); }

 private:
  struct Sentence {
    bool is_told = false;
    bool is_idle = false;
    bool is_of_links = false;  // of different rates: that the faster one is ahead surprises nobody
    bool is_of_workers = false;
    double strength = 0;  // of what cannot be told, how close to 1 the ratio is known to be
    std::string text;
  };

  bool isOfWorkers(const Comparison& comparison) const { return workers_ == comparison.axis; }
  std::string nameOf(const Comparison& comparison, const Cell& cell) const;
  std::string circumstances(const Comparison& comparison) const;
  std::string whichOf(const std::vector<Comparison>& leads) const;
  std::string idleCells(const std::vector<Comparison>& comparisons) const;
  void addLead(std::vector<Comparison> leads, std::size_t count);
  void addUntold(std::vector<Comparison> untold);

  const Experiment& experiment_;  // outlives us
  const std::optional<std::size_t> workers_;
  std::vector<Sentence> sentences_;
};

}  // namespace sumac::experiment
