#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "base/core/step.h"
#include "job/document/training_job.h"
#include "kernels/aligned_buffer.h"
#include "kernels/kernels.h"

namespace sumac::worker {

/// The learning rate of a step: pure, steps from 1.
double learningRate(const job::OptimizerSpec& optimizer, const job::ScheduleSpec& schedule,
                    Step step, Step steps_per_epoch);

/// Turns the sum of all gradients into new weights: the same bits in every process, every kernel
/// variant and for any number of threads. The forms are PyTorch's: weight decay is added to the
/// gradient, after clipping; a velocity is not scaled by the learning rate.
///
/// Owned by one thread; with a pool, its threads share the work of one call. Nothing is allocated
/// after construction but by state() and restore().
class Optimizer {
 public:
  struct Options {
    job::OptimizerSpec optimizer;
    job::ScheduleSpec schedule;
    std::optional<double> clip_global_norm;
    std::optional<double> clip_value;
    Step steps_per_epoch = 1;
  };

  Optimizer(const Options& options, const Kernels& kernels, std::int64_t parameters);

  /// Some of the parameters.
  struct Extent {
    std::size_t first;
    std::size_t count;
  };

  /// What one update did; for progress and metrics.
  struct Update {
    double gradient_norm = 0;  // before clipping; not finite when an overflow spoils the update
    double learning_rate = 0;
  };

  /// w_out = update of w_in by `gradient` (all of plan order). w_out may be w_in.
  Update apply(Step step, std::span<const float> gradient, std::span<const float> w_in,
               std::span<float> w_out);

  /// The same with `pool.run(tasks, work)`, which calls work(task) once for each task in [0,
  /// tasks), on any threads, and returns when all are done.
  template <typename Pool>
  Update apply(Step step, std::span<const float> gradient, std::span<const float> w_in,
               std::span<float> w_out, Pool& pool) {
    checkSizes(gradient, w_in, w_out);
    const auto measure = [&](std::size_t range) { measureRange(range, gradient); };
    const auto applyRange = [&](std::size_t range) {
      applyExtent(extentOf(range), gradient, w_in, w_out);
    };
    if (options_.clip_global_norm) {
      pool.run(squares_.size(), measure);
      const Update update = prepare(step, norm());
      pool.run(squares_.size(), applyRange);
      return update;
    }
    // Nothing waits for the norm: each range is measured while a cache has it, in one pass over
    // the gradient.
    Update update = prepare(step, /*norm=*/0);
    pool.run(squares_.size(), [&](std::size_t range) {
      measure(range);
      applyRange(range);
    });
    update.gradient_norm = norm();
    return update;
  }

  /// The same, but as the gradient comes: begin(), applyPiece() of every value once, in any order,
  /// and finish(), or undo(). The bits are those of apply(). Takes memory for another state from
  /// the first time on.
  ///
  /// Requires a job that does not clip by the global norm, which is known at the end only.
  void begin(Step step);
  /// Of the gradient and `w_in` the values [first, first + count) are there.
  template <typename Pool>
  void applyPiece(Extent piece, std::span<const float> gradient, std::span<const float> w_in,
                  std::span<float> w_out, Pool& pool) {
    checkSizes(gradient, w_in, w_out);
    pool.run(tasksOf(piece), [&](std::size_t task) {
      const Extent extent = taskOf(piece, task);
      takeOver(extent);
      applyExtent(extent, gradient, w_in, w_out);
    });
    const std::span<const std::size_t> whole = noteApplied(piece);
    pool.run(whole.size(), [&](std::size_t i) { measureRange(whole[i], gradient); });
  }
  Update finish();
  /// The step is not to be finished: the state is that before begin().
  void undo();

  /// The state vectors, in an order that only the kind of optimizer fixes.
  std::vector<std::span<const float>> vectors() const;
  /// Memory for those of another optimizer of this kind, beside ours. Requires that no update is
  /// open.
  std::vector<std::span<float>> room();
  /// The vectors in room() are the state from now on; gives back the memory of those before.
  /// Requires that no update is open.
  void adopt();

  /// Until finish() the state before begin(). For checkpoints: name of each state vector -> values
  /// in plan order; none for plain SGD.
  std::map<std::string, std::vector<float>> state() const;
  /// Fails with kConflict, changing nothing, when the vectors are not this optimizer's.
  Result<void> restore(const std::map<std::string, std::vector<float>>& state);

 private:
  /// A vector with a value for each parameter that goes from step to step.
  struct State {
    const char* name;
    AlignedBuffer values;
    AlignedBuffer next;  // between begin() and finish(), which makes them the values
  };
  void checkSizes(std::span<const float> gradient, std::span<const float> w_in,
                  std::span<float> w_out) const;
  Extent extentOf(std::size_t range) const;
  void measureRange(std::size_t range, std::span<const float> gradient);
  double norm() const;
  Update prepare(Step step, double norm);
  void applyExtent(Extent extent, std::span<const float> gradient, std::span<const float> w_in,
                   std::span<float> w_out);
  static std::size_t tasksOf(Extent piece);
  static Extent taskOf(Extent piece, std::size_t task);
  void takeOver(Extent extent);
  float* stateAt(std::size_t index, std::size_t first);
  std::span<const std::size_t> noteApplied(Extent piece);

  Options options_;
  Kernels kernels_;
  std::size_t parameters_;
  std::vector<State> states_;
  std::vector<double> squares_;  // of the gradient, range by range
  SumacUpdate update_{};         // of the step in hand
  SumacAdam adam_{};

  // Of an update that is applied piece by piece.
  bool is_open_ = false;            // between begin() and finish() or undo()
  std::vector<std::size_t> left_;   // values that are not applied, range by range
  std::vector<std::size_t> whole_;  // ranges that the last piece completed
  Update applied_;
};

}  // namespace sumac::worker
