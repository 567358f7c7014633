#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>

namespace sumac {

/// Floats that begin at a multiple of 64 bytes, zero at first. Owns them; moves, never copies. A
/// large buffer asks for large pages, which cost fewer faults and translations, and takes them as
/// its values are touched. Fails with std::bad_alloc.
class AlignedBuffer {
 public:
  static constexpr std::size_t kAlignment = 64;

  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t size);

  std::size_t size() const { return size_; }
  float* data() { return values_.get(); }
  const float* data() const { return values_.get(); }
  std::span<float> values() { return {values_.get(), size_}; }
  std::span<const float> values() const { return {values_.get(), size_}; }

 private:
  struct Release {
    std::size_t mapped;  // bytes; 0: of the heap

    void operator()(float* values) const;
  };

  std::unique_ptr<float[], Release> values_{nullptr, Release{0}};
  std::size_t size_ = 0;
};

}  // namespace sumac
