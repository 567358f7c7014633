#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/core/bytes.h"
#include "exchange/plan/exchange_plan.h"
#include "exchange/wire/header.h"
#include "kernels/kernel_table.h"

namespace sumac::wire {

/// How the values of a plan's exchange vector are written in a message: the gradient by the plan's
/// codec, one value after the other, and what follows it, the loss and the part state, as fp32
/// (docs/protocol.md#payloads). Values and their written form are the same in every kernel variant.
/// A value type; any thread may use it.
class ValueCodec {
 public:
  /// Both outlive us. `kernels` are those of any variant; null only with fp32.
  ValueCodec(const ExchangePlan& plan, const KernelTable* kernels);

  /// Values are written as they lie in memory.
  bool isPlain() const { return plan_->codec == Codec::kFp32; }
  /// Bytes of the values [first, first + count), where none are left out.
  std::size_t size(std::int64_t first, std::int64_t count) const;
  /// Whether many of these values may be zero, so that it is worth a look at each: an embedding's
  /// rows of words that do not occur, other workers' part state.
  bool mayBeSparse(std::int64_t first, std::int64_t count) const;

  /// Writes values, of which the first is number `first` of the vector. Returns how many are as
  /// large as fp16 allows: nearly all of these were larger. Requires room for size() bytes.
  std::size_t write(std::span<std::byte> out, std::int64_t first,
                    std::span<const float> values) const;
  /// Reads as many values as there is room for; returns how many are as large as fp16 allows.
  /// Requires size() bytes.
  std::size_t read(std::span<float> out, std::int64_t first, BytesView bytes) const;

 private:
  std::size_t coded(std::int64_t first, std::int64_t count) const;
  std::size_t limited(const std::byte* bytes, std::size_t count) const;

  const ExchangePlan* plan_;
  const KernelTable* kernels_;
};

}  // namespace sumac::wire
