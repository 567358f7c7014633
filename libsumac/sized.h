#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "libsumac/misuse.h"
#include "libsumac/sumac.h"

namespace sumac::program {

// The structs of sumac.h between programs and libraries of different versions. Each begins with the
// size that it has where the program was compiled: an older program's ends before the newest
// members, a newer one's goes on behind them.

/// The size of a struct in version 1 of sumac.h. Every program has at least that. Never changed.
template <typename Struct>
inline constexpr std::size_t kFirstSize = 0;
template <>
inline constexpr std::size_t kFirstSize<sumac_options> = 88;
template <>
inline constexpr std::size_t kFirstSize<sumac_declaration> = 32;
template <>
inline constexpr std::size_t kFirstSize<sumac_tensor> = 48;
template <>
inline constexpr std::size_t kFirstSize<sumac_pieces> = 32;
template <>
inline constexpr std::size_t kFirstSize<sumac_state> = 40;
template <>
inline constexpr std::size_t kFirstSize<sumac_job> = 88;
template <>
inline constexpr std::size_t kFirstSize<sumac_turn> = 80;
template <>
inline constexpr std::size_t kFirstSize<sumac_metric> = 40;

/// No version has larger structs: a size beyond it is a mistake.
inline constexpr std::size_t kMostSize = 4096;

/// Throws Misuse unless `given` has a size that some version may have.
template <typename Struct>
void requireStruct(const Struct* given, const char* what) {
  static_assert(kFirstSize<Struct> > 0 && sizeof(Struct) >= kFirstSize<Struct>);
  if (given == nullptr) throw Misuse(std::string(what) + ": a null pointer");
  if (given->size < kFirstSize<Struct> || given->size > kMostSize)
    throw Misuse(std::string(what) + ": set `size` to the size of the struct");
}

/// As much of a program's struct of `size` bytes as we know; what an older program does not know is
/// 0. Throws Misuse where a newer one wants what we do not know. Requires kFirstSize to kMostSize.
template <typename Struct>
Struct copyIn(const void* given, std::size_t size, const char* what) {
  Struct copy{};
  std::memcpy(static_cast<void*>(&copy), given, std::min(size, sizeof(Struct)));
  const auto* const bytes = static_cast<const std::byte*>(given);
  const auto isSet = [](std::byte value) { return value != std::byte{0}; };
  if (size > sizeof(Struct) && std::any_of(bytes + sizeof(Struct), bytes + size, isSet))
    throw Misuse(std::string(what) +
                 " has members that this version of the library does not know: install the one "
                 "that belongs to sumac.h, or set the rest of the struct to 0");
  return copy;
}

/// The same, of a struct that requireStruct() has accepted.
template <typename Struct>
Struct copyIn(const Struct* given, const char* what) {
  return copyIn<Struct>(static_cast<const void*>(given), given->size, what);
}

/// Copies as much of a struct of ours as the program's has, but for the size. The rest stays.
/// Requires requireStruct().
template <typename Struct>
void copyOut(const Struct& from, Struct* to) {
  const std::size_t theirs = to->size;
  std::memcpy(static_cast<void*>(to), &from, std::min(theirs, sizeof(Struct)));
  to->size = theirs;
}

}  // namespace sumac::program
