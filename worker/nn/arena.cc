#include "worker/nn/arena.h"

#include <new>
#include <stdexcept>

#include <sys/mman.h>

#include "common/base/check.h"

namespace sumac::worker {
namespace {

// So many floats that no machine has them, so few that their bytes fit the type with room to spare.
constexpr std::size_t kMaxFloats = std::size_t{1} << 56U;

}  // namespace

Arena::Piece Arena::reserve(std::int64_t floats) {
  SUMAC_CHECK(memory_ == nullptr && floats >= 0, floats);
  constexpr std::size_t kStep = 64 / sizeof(float);
  const Piece piece = size_;
  const auto wanted = static_cast<std::size_t>(floats);
  if (size_ > kMaxFloats || wanted > kMaxFloats - size_) {
    throw std::length_error(
        "the network needs more memory than any machine has; lower spec.training.batchSize");
  }
  size_ += (wanted + kStep - 1) / kStep * kStep;
  return piece;
}

void Arena::Release::operator()(float* values) const {
  ::operator delete[](values, std::align_val_t{kAlignment});
}

void Arena::build() {
  const std::size_t bytes = (size_ + 1) * sizeof(float);
  void* const memory = ::operator new[](bytes, std::align_val_t{kAlignment});
  // Before the first touch. A system without huge pages refuses, which is fine.
  if (bytes >= kAlignment) madvise(memory, bytes, MADV_HUGEPAGE);
  memory_.reset(new (memory) float[size_ + 1]());
}

std::int32_t* Arena::indicesAt(Piece piece) {
  static_assert(sizeof(std::int32_t) == sizeof(float));
  // Storage that is written as integers before it is ever read: the objects begin to live there.
  return std::launder(reinterpret_cast<std::int32_t*>(at(piece)));
}

}  // namespace sumac::worker
