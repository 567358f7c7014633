#include "kernels/aligned_buffer.h"

#include <algorithm>

#include <sys/mman.h>

namespace sumac {
namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20U;
constexpr std::size_t kLarge = 2 * kLargePage;  // below, rounding up would waste too much

}  // namespace

AlignedBuffer::AlignedBuffer(std::size_t size) : size_(size) {
  std::size_t bytes = size * sizeof(float);
  std::size_t alignment = kAlignment;
  if (bytes >= kLarge) {
    alignment = kLargePage;
    bytes = (bytes + kLargePage - 1) / kLargePage * kLargePage;
  }
  void* const memory = ::operator new[](bytes, std::align_val_t{alignment});
  // Before the first touch, which decides the page's size. Only advice: failing changes nothing.
  if (alignment == kLargePage) (void)::madvise(memory, bytes, MADV_HUGEPAGE);
  auto* const values = new (memory) float[size];
  std::fill_n(values, size, 0.0F);
  values_ = std::unique_ptr<float[], Release>(values, Release{alignment});
}

}  // namespace sumac
