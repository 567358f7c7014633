#include "worker/nn/lanes/gradient_buffers.h"

#include <algorithm>
#include <optional>

namespace sumac::worker::lanes {
namespace {

/// Hands out pieces of the arena: of those released the smallest that is large enough.
class Pieces {
 public:
  explicit Pieces(const Context& context) : context_(context) {}

  Arena::Piece take(std::size_t floats) {
    auto best = free_.end();
    for (auto piece = free_.begin(); piece != free_.end(); ++piece) {
      if (piece->floats >= floats && (best == free_.end() || piece->floats < best->floats))
        best = piece;
    }
    if (best == free_.end()) {
      taken_.push_back({context_.reserve(floats), floats});
    } else {
      taken_.push_back(*best);
      free_.erase(best);
    }
    return taken_.back().at;
  }

  void release(Arena::Piece at) {
    const auto piece =
        std::find_if(taken_.begin(), taken_.end(), [&](const Piece& p) { return p.at == at; });
    free_.push_back(*piece);
    taken_.erase(piece);
  }

 private:
  struct Piece {
    Arena::Piece at;
    std::size_t floats;
  };

  const Context& context_;  // outlives us
  std::vector<Piece> free_;
  std::vector<Piece> taken_;
};

}  // namespace

GradientBuffers planGradientBuffers(const OperationPlan& plan, const Context& context) {
  const auto sizeOf = [&](int value) {
    return context.max_blocks * plan.values.at(extent(value)).count() * context.lanes();
  };
  GradientBuffers buffers;
  buffers.pieces.assign(plan.values.size(), 0);
  Pieces pieces(context);
  std::array<std::size_t, 2> scratch{};
  buffers.pieces.at(extent(plan.logits)) = pieces.take(sizeOf(plan.logits));
  for (auto operation = plan.operations.rbegin(); operation != plan.operations.rend();
       ++operation) {
    for (std::size_t i = 0; i < operation->inputs.size(); ++i) {
      const int input = operation->inputs[i];
      if (input == 0) continue;
      if (operation->adds[i]) {
        scratch.at(i) = std::max(scratch.at(i), sizeOf(input));
      } else {
        buffers.pieces.at(extent(input)) = pieces.take(sizeOf(input));
      }
    }
    pieces.release(buffers.pieces.at(extent(operation->output)));
  }
  for (std::size_t i = 0; i < scratch.size(); ++i)
    buffers.scratch.at(i) = context.reserve(scratch.at(i));
  return buffers;
}

}  // namespace sumac::worker::lanes
