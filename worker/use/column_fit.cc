#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/data/csv.h"
#include "worker/use/data_fit.h"

namespace sumac::worker {
namespace {

/// Which feature of the data goes to which of the model.
using Moves = std::vector<std::pair<std::size_t, std::size_t>>;

Error unknownColumn(const CsvColumn& column, const std::string& what) {
  return Error{ErrorCode::kInvalid, "column " + shownCell(column.name) + what};
}

Result<void> addMoves(const CsvColumn& column, std::size_t from, const CsvColumn& model,
                      std::size_t to, Moves& moves) {
  if (column.kind != model.kind) {
    const bool are_numbers = model.kind == CsvKind::kNumeric;
    return unknownColumn(model, are_numbers ? " has texts; the model takes numbers there"
                                            : " has numbers; the model takes texts there");
  }
  if (model.kind == CsvKind::kNumeric) moves.emplace_back(from, to);
  for (const std::string& category : column.categories) {
    const auto known = std::ranges::lower_bound(model.categories, category);
    if (known == model.categories.end() || *known != category)
      return unknownColumn(model,
                           " has " + shownCell(category) + ", which the model does not know");
    moves.emplace_back(from++, to + static_cast<std::size_t>(known - model.categories.begin()));
  }
  return {};
}

Result<Moves> movesBetween(const CsvColumns& columns, const CsvColumns& model) {
  struct Place {
    const CsvColumn* column = nullptr;
    std::size_t from = 0;
  };
  std::unordered_map<std::string_view, Place> places;
  std::size_t from = 0;
  for (const CsvColumn& column : columns.columns) {
    places.emplace(column.name, Place{&column, from});
    from += column.features();
  }
  Moves moves;
  std::size_t to = 0;
  for (const CsvColumn& wanted : model.columns) {
    const auto found = places.find(wanted.name);
    if (found == places.end())
      return unknownColumn(wanted, " is missing in the data; the model was trained on it");
    const Place& place = found->second;
    if (auto added = addMoves(*place.column, place.from, wanted, to, moves); !added)
      return added.error();
    to += wanted.features();
  }
  return moves;
}

}  // namespace

Result<void> fitColumns(Images& images, const CsvColumns& columns, const CsvColumns& model) {
  if (columns.columns == model.columns) return {};
  const auto moves = movesBetween(columns, model);
  if (!moves) return moves.error();
  const std::size_t from_size = columns.features();
  const std::size_t to_size = model.features();
  for (Samples* const split : {&images.train, &images.validation, &images.test}) {
    const auto count = static_cast<std::size_t>(split->count());
    std::vector<float> values(count * to_size);
    std::vector<float> room(from_size);
    for (std::size_t i = 0; i < count; ++i) {
      const auto row = valuesOf(*split, static_cast<std::int64_t>(i), room);
      for (const auto& [from, to] : *moves)
        values[i * to_size + to] = row[from];
    }
    split->values = std::move(values);
    split->packed = {};
    split->shape = {static_cast<std::int64_t>(to_size)};
  }
  return {};
}

}  // namespace sumac::worker
