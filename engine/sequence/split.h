#pragma once

#include <algorithm>
#include <cstddef>

#include "engine/nn/compute_pool.h"
#include "kernels/kernels.h"

// Work for several threads. Every value is computed by one task as it would be alone, so that
// nothing depends on how many tasks there are: one for each thread.
namespace sumac::worker::sequence {

struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
};

/// The task's share of [0, size): all shares but the last end at multiples of `unit`.
inline Range shareOf(std::size_t size, std::size_t unit, std::size_t task, std::size_t tasks) {
  const std::size_t units = (size + unit - 1) / unit;
  return {std::min(size, units * task / tasks * unit),
          std::min(size, units * (task + 1) / tasks * unit)};
}

/// Calls work(range) for ranges that together are [0, size), all but the last multiples of `unit`.
template <typename Work>
void split(ComputePool& pool, std::size_t size, std::size_t unit, const Work& work) {
  const std::size_t units = (size + unit - 1) / unit;
  const std::size_t tasks = std::min(units, static_cast<std::size_t>(pool.threads()));
  pool.run(tasks, [&](std::size_t task) { work(shareOf(size, unit, task, tasks)); });
}

// Of a product: columns as wide as the widest variant's panels, rows as high as its highest tiles,
// and the depth at which products cut their chains.
inline constexpr std::size_t kColumnUnit = 32;
inline constexpr std::size_t kRowUnit = 12;
inline constexpr std::size_t kChainDepth = 256;

/// The product by columns of c: right where b is packed anyway, each column by one task.
void multiplyByColumns(ComputePool& pool, const Kernels& kernels, const SumacGemm& gemm);

/// The product by rows of c; every task packs b.
void multiplyByRows(ComputePool& pool, const Kernels& kernels, const SumacGemm& gemm);

}  // namespace sumac::worker::sequence
