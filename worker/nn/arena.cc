#include "worker/nn/arena.h"

#include <new>

#include "common/base/check.h"

namespace sumac::worker {

Arena::Piece Arena::reserve(std::int64_t floats) {
  SUMAC_CHECK(memory_.size() == 0 && floats >= 0, memory_.size(), floats);
  constexpr std::size_t kStep = AlignedBuffer::kAlignment / sizeof(float);
  const Piece piece = size_;
  size_ += (static_cast<std::size_t>(floats) + kStep - 1) / kStep * kStep;
  return piece;
}

void Arena::build() {
  memory_ = AlignedBuffer(size_ + 1);
}

std::int32_t* Arena::indicesAt(Piece piece) {
  static_assert(sizeof(std::int32_t) == sizeof(float));
  // Storage that is written as integers before it is ever read: the objects begin to live there.
  return std::launder(reinterpret_cast<std::int32_t*>(at(piece)));
}

}  // namespace sumac::worker
