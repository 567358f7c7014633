#include "experiment/measure/schedule.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/core/check.h"
#include "base/core/rng.h"

#include "experiment/measure/statistics.h"

namespace sumac::experiment {

Repetitions repetitionsOf(const Measurement& measurement) {
  const int least = measurement.repetitions;
  if (!measurement.stop) return {least, least, 0};
  return {least, measurement.stop->most_repetitions, measurement.stop->half_width};
}

std::vector<int> shuffledCells(int cells, std::uint64_t seed, int repetition) {
  std::vector<int> order(static_cast<std::size_t>(cells));
  std::iota(order.begin(), order.end(), 1);
  const Rng rng(seed, kShuffleStream + static_cast<std::uint64_t>(repetition));
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[rng.below(i, i)]);
  return order;
}

Schedule::Schedule(int cells, Repetitions repetitions, std::uint64_t seed)
    : cells_(cells), repetitions_(repetitions) {
  SUMAC_CHECK(cells >= 1, cells);
  SUMAC_CHECK(repetitions.least >= 1 && repetitions.most >= repetitions.least, repetitions.least);
  for (int repetition = 1; repetition <= repetitions.most; ++repetition)
    order_.push_back(shuffledCells(cells, seed, repetition));
}

void Schedule::finished(RunId run, double value) {
  SUMAC_CHECK(run.cell >= 1 && run.cell <= cells_, run.cell);
  values_[run.cell][run.repetition] = value;
  under_way_.erase(run);
}

void Schedule::failed(int cell) {
  failed_.insert(cell);
  std::erase_if(under_way_, [cell](RunId run) { return run.cell == cell; });
}

bool Schedule::needs(RunId run) const {
  if (failed_.contains(run.cell)) return false;
  const auto cell = values_.find(run.cell);
  if (cell == values_.end()) return true;
  if (cell->second.contains(run.repetition)) return false;
  if (run.repetition <= repetitions_.least) return true;
  std::vector<double> values;
  for (const auto& [repetition, value] : cell->second)
    values.push_back(value);
  const auto half_width = estimate(values).relativeHalfWidth();
  return !half_width || *half_width > repetitions_.half_width;
}

std::optional<RunId> Schedule::next() const {
  for (int repetition = 1; repetition <= repetitions_.most; ++repetition) {
    for (const int cell : order_[static_cast<std::size_t>(repetition - 1)]) {
      const RunId run{cell, repetition};
      if (needs(run) && !under_way_.contains(run)) return run;
    }
  }
  return std::nullopt;
}

int Schedule::left() const {
  int left = 0;
  for (int cell = 1; cell <= cells_; ++cell) {
    int of_cell = 0;
    for (int repetition = 1; repetition <= repetitions_.least; ++repetition)
      of_cell += needs({cell, repetition}) ? 1 : 0;
    // Of repetitions beyond the least, only one is certain.
    for (int more = repetitions_.least + 1; of_cell == 0 && more <= repetitions_.most; ++more)
      of_cell = needs({cell, more}) ? 1 : 0;
    left += of_cell;
  }
  return left;
}

}  // namespace sumac::experiment
