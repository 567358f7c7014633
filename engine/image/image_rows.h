#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>

#include "engine/image/operation.h"

namespace sumac::worker::image {

/// Gives values that hold the same samples the same shape, each with its own border: without one, a
/// vector may be what was an image before flatten.
inline void shareShape(std::initializer_list<Value*> values) {
  const auto rows = [](const Value* value) { return value->image.channels * value->image.rows; };
  const Value* const finest =
      *std::max_element(values.begin(), values.end(),
                        [&](const Value* a, const Value* b) { return rows(a) < rows(b); });
  const SumacImage shape = finest->image;
  for (Value* const value : values)
    value->image = {shape.channels, shape.rows, shape.columns, value->image.border};
}

/// Where one row of a value and of its gradient begins, in floats.
struct Row {
  std::size_t block;
  std::size_t index;  // among the rows of the block's channels
};

inline std::size_t borderedAt(const Value& value, const Row& row, std::size_t lanes) {
  const SumacImage& image = value.image;
  const std::size_t width = image.columns + 2 * image.border;
  const std::size_t height = image.rows + 2 * image.border;
  const std::size_t line = row.index / image.rows * height + row.index % image.rows + image.border;
  return (row.block * value.stored() + line * width + image.border) * lanes;
}

inline std::size_t plainAt(const Value& value, const Row& row, std::size_t lanes) {
  return (row.block * value.count() + row.index * value.image.columns) * lanes;
}

/// Calls work(row) for every row of every channel and block. `each` is what a value of it costs, in
/// products.
template <typename Work>
void forEachRow(ComputePool& pool, const Value& value, std::size_t blocks, std::size_t each,
                const Work& work) {
  const std::size_t rows = value.image.channels * value.image.rows;
  const Split split(blocks * rows, value.image.columns * each);
  pool.run(split.count, [&](std::size_t task) {
    for (std::size_t i = split.begin(task); i < split.begin(task + 1); ++i)
      work(Row{i / rows, i % rows});
  });
}

}  // namespace sumac::worker::image
