#pragma once

#include "engine/data/batches.h"
#include "engine/nn/engine.h"

namespace sumac::worker {

/// What engine/data hands out as engine/nn takes it; the two do not know each other.
inline Batch batchOf(const BatchView& view) {
  return {.count = view.count, .inputs = view.inputs, .tokens = view.tokens, .labels = view.labels};
}

}  // namespace sumac::worker
