#pragma once

#include "base/core/work_count.h"
#include "engine/nn/compute_pool.h"
#include "engine/nn/engine.h"
#include "kernels/kernels.h"

namespace sumac::worker {

/// What a worker computes with. The references outlive it.
struct Compute {
  Kernels kernels;
  ComputePool& pool;
  Engine& engine;
  WorkCount* work = nullptr;  // of what is computed; null: not counted

  void countWork() const {
    if (work != nullptr) work->add();
  }
};

}  // namespace sumac::worker
