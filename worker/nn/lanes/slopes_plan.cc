#include "worker/nn/lanes/slopes_plan.h"

#include <algorithm>
#include <optional>

namespace sumac::worker::lanes {
namespace {

/// Hands out pieces, of those given back the smallest that is large enough.
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

  void giveBack(Arena::Piece at) {
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

SlopesPlan planSlopes(const OperationPlan& plan, const Context& context) {
  const auto sizeOf = [&](int value) {
    return context.max_blocks * plan.values.at(extent(value)).count() * context.lanes();
  };
  SlopesPlan slopes;
  slopes.pieces.assign(plan.values.size(), 0);
  Pieces pieces(context);
  std::array<std::size_t, 2> scratch{};
  slopes.pieces.at(extent(plan.logits)) = pieces.take(sizeOf(plan.logits));
  for (auto operation = plan.operations.rbegin(); operation != plan.operations.rend();
       ++operation) {
    for (std::size_t i = 0; i < operation->inputs.size(); ++i) {
      const int input = operation->inputs[i];
      if (input == 0) continue;
      if (operation->adds[i]) {
        scratch.at(i) = std::max(scratch.at(i), sizeOf(input));
      } else {
        slopes.pieces.at(extent(input)) = pieces.take(sizeOf(input));
      }
    }
    pieces.giveBack(slopes.pieces.at(extent(operation->output)));
  }
  for (std::size_t i = 0; i < scratch.size(); ++i)
    slopes.scratch.at(i) = context.reserve(scratch.at(i));
  return slopes;
}

}  // namespace sumac::worker::lanes
