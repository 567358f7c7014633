#pragma once

#include "common/base/work_count.h"
#include "common/kernels/kernels.h"
#include "worker/nn/compute_pool.h"
#include "worker/nn/engine.h"

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
