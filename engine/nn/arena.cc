#include "engine/nn/arena.h"

#include <new>
#include <stdexcept>

#include "base/core/check.h"

namespace sumac::worker {
namespace {

// So many floats that no machine has them, so few that their bytes fit the type with room to spare.
constexpr std::size_t kMaxFloats = std::size_t{1} << 56U;

}  // namespace

Arena::Piece Arena::reserve(std::int64_t floats) {
  SUMAC_CHECK(!is_built_ && floats >= 0, floats);
  constexpr std::size_t kStep = AlignedBuffer::kAlignment / sizeof(float);
  const Piece piece = size_;
  const auto wanted = static_cast<std::size_t>(floats);
  if (size_ > kMaxFloats || wanted > kMaxFloats - size_) {
    throw std::length_error(
        "the network needs more memory than any machine has; lower spec.training.batchSize");
  }
  size_ += (wanted + kStep - 1) / kStep * kStep;
  return piece;
}

void Arena::build() {
  is_built_ = true;
  memory_ = AlignedBuffer(size_ + 1);  // a piece of no floats has an address too
}

std::int32_t* Arena::indicesAt(Piece piece) {
  static_assert(sizeof(std::int32_t) == sizeof(float));
  // Storage that is written as integers before it is ever read: the objects begin to live there.
  return std::launder(reinterpret_cast<std::int32_t*>(at(piece)));
}

}  // namespace sumac::worker
