#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace sumac::worker {

/// Memory that is divided once, before the first step, so that no step allocates: every piece is
/// reserved, then build() makes them all. Pieces begin at multiples of 64 bytes, so that no bit
/// depends on where one lies. All is zero at first. Much memory comes in huge pages where the
/// system has them: a page fault costs microseconds on virtual machines.
class Arena {
 public:
  /// A piece: where it begins, in floats.
  using Piece = std::size_t;

  /// Throws std::length_error, which names the cure, when all pieces together are more than any
  /// machine has. Requires that build() was not called yet.
  Piece reserve(std::int64_t floats);
  void build();

  /// Requires build().
  float* at(Piece piece) { return memory_.get() + piece; }
  /// The same memory for indices, which are as wide.
  std::int32_t* indicesAt(Piece piece);
  /// The same memory for bytes, four in the place of a float.
  std::uint8_t* bytesAt(Piece piece) { return reinterpret_cast<std::uint8_t*>(at(piece)); }

 private:
  static constexpr std::size_t kAlignment = std::size_t{2} << 20U;  // a huge page

  struct Release {
    void operator()(float* values) const;
  };

  std::size_t size_ = 0;
  std::unique_ptr<float[], Release> memory_;
};

}  // namespace sumac::worker
