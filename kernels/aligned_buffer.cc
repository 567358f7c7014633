#include "kernels/aligned_buffer.h"

#include <algorithm>
#include <cstdint>

#include <sys/mman.h>

namespace sumac {
namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20U;
constexpr std::size_t kLarge = 2 * kLargePage;  // below, rounding up would waste too much

std::size_t roundUp(std::size_t bytes) {
  return (bytes + kLargePage - 1) / kLargePage * kLargePage;
}

/// Whole large pages, zero and untouched. `bytes`: a multiple of one.
void* mapLargePages(std::size_t bytes) {
  // One more, so that the rest can begin where a large page does.
  const std::size_t mapped = bytes + kLargePage;
  void* const memory =
      ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  auto* const first = static_cast<std::byte*>(memory);
  const std::size_t before =
      (kLargePage - reinterpret_cast<std::uintptr_t>(first) % kLargePage) % kLargePage;
  if (before > 0) ::munmap(first, before);
  ::munmap(first + before + bytes, kLargePage - before);
  // Only advice: failing changes nothing.
  (void)::madvise(first + before, bytes, MADV_HUGEPAGE);
  return first + before;
}

}  // namespace

AlignedBuffer::AlignedBuffer(std::size_t size) : size_(size) {
  const std::size_t bytes = size * sizeof(float);
  if (bytes >= kLarge) {
    const std::size_t mapped = roundUp(bytes);
    values_ = {static_cast<float*>(mapLargePages(mapped)), Release{mapped}};
    return;
  }
  void* const memory = ::operator new[](bytes, std::align_val_t{kAlignment});
  auto* const values = new (memory) float[size];
  std::fill_n(values, size, 0.0F);
  values_ = {values, Release{0}};
}

void AlignedBuffer::Release::operator()(float* values) const {
  if (mapped > 0) {
    ::munmap(values, mapped);
  } else {
    ::operator delete[](values, std::align_val_t{kAlignment});
  }
}

}  // namespace sumac
