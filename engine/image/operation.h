#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/image/scratch.h"
#include "engine/image/value.h"
#include "engine/nn/arena.h"
#include "engine/nn/compute_pool.h"
#include "job/model/network.h"
#include "kernels/kernels.h"

namespace sumac::worker::image {

/// One or several layers of a network that are computed together. Owned by an engine; used by its
/// thread, which works with the pool's.
class Operation {
 public:
  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;

  virtual void forward(const Run& run) = 0;

  /// Whether the operation is short and its blocks do not depend on each other. Then the engine may
  /// call, instead of forward(), prepareForward() and, once for each block and by any thread,
  /// forwardBlock(): a block goes through several operations, and no thread waits in between.
  virtual bool isBlockwise() const { return false; }
  virtual void prepareForward(const Run& /*run*/) {}
  virtual void forwardBlock(const Run& /*run*/, std::size_t /*block*/) {}

  /// From the gradient of its output (`dy`, which it may overwrite) to the gradients of its
  /// weights, which it announces, and of each input whose `dx` is not null. `dy` and `dx` are
  /// [block][channel][row][column][lane], without borders. Requires that forward() came before,
  /// with the same run.
  virtual void backward(const Run& run, float* dy, std::span<float* const> dx) = 0;
};

/// Layers that became one operation.
struct Fused {
  int layer = 0;  // the one that gives it its kind
  int activation = kSumacIdentity;
  bool pool = false;  // max-pooling of 2 x 2 pixels
};

/// What an operation is made from.
struct Context {
  const model::Network& network;  // outlives the call only
  const Kernels& kernels;
  ComputePool& pool;  // outlives the operation
  Arena& arena;       // outlives the operation
  Scratch& scratch;   // likewise
  std::size_t max_blocks;
  std::uint64_t seed;

  const model::Layer& layer(const Fused& fused) const {
    return network.layers.at(static_cast<std::size_t>(fused.layer));
  }
  const model::Tensor& tensor(const model::Layer& layer, std::size_t n) const {
    return network.tensors.at(static_cast<std::size_t>(layer.tensors.at(n)));
  }
  std::size_t lanes() const { return kernels->lanes; }
  Arena::Piece reserve(std::size_t floats) const {
    return arena.reserve(static_cast<std::int64_t>(floats));
  }
  /// Bytes instead of floats.
  Arena::Piece reserveBytes(std::size_t bytes) const { return reserve((bytes + 3) / 4); }
};

/// Work is cut into tasks of about so many products of vectors, 10 us or so.
inline constexpr std::size_t kTaskProducts = 40'000;

/// [0, n) cut into equal tasks of about kTaskProducts. Depends on the sizes alone.
struct Split {
  std::size_t n;
  std::size_t count;

  /// `least`: how many values a task has at least.
  Split(std::size_t size, std::size_t products_each, std::size_t least = 1)
      : n(size),
        count(std::clamp<std::size_t>(size * products_each / kTaskProducts, 1,
                                      std::max<std::size_t>(size / least, 1))) {}
  std::size_t begin(std::size_t task) const { return n * task / count; }
  std::size_t size(std::size_t task) const { return begin(task + 1) - begin(task); }
};

inline std::size_t extent(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

}  // namespace sumac::worker::image
