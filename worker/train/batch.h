#pragma once

#include "worker/data/batches.h"
#include "worker/nn/engine.h"

namespace sumac::worker {

/// What worker/data hands out as worker/nn takes it; the two do not know each other.
inline Batch batchOf(const BatchView& view) {
  return {.count = view.count, .inputs = view.inputs, .tokens = view.tokens, .labels = view.labels};
}

}  // namespace sumac::worker
