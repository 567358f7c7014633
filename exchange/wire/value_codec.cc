#include "exchange/wire/value_codec.h"

#include <algorithm>
#include <cstring>

#include "base/core/check.h"

namespace sumac::wire {
namespace {

constexpr std::uint16_t kLargestFp16 = 0x7BFF;  // 65504

unsigned char* raw(std::byte* bytes) {
  return reinterpret_cast<unsigned char*>(bytes);
}

const unsigned char* raw(const std::byte* bytes) {
  return reinterpret_cast<const unsigned char*>(bytes);
}

}  // namespace

ValueCodec::ValueCodec(const ExchangePlan& plan, const KernelTable* kernels)
    : plan_(&plan), kernels_(kernels) {
  SUMAC_CHECK(isPlain() || kernels != nullptr, plan.codec);
}

/// How many of the values are the gradient's: these come first.
std::size_t ValueCodec::coded(std::int64_t first, std::int64_t count) const {
  return static_cast<std::size_t>(std::clamp<std::int64_t>(plan_->parameters - first, 0, count));
}

std::size_t ValueCodec::size(std::int64_t first, std::int64_t count) const {
  const std::size_t gradient = coded(first, count);
  return gradient * sizeOf(plan_->codec) +
         (static_cast<std::size_t>(count) - gradient) * sizeof(float);
}

bool ValueCodec::mayBeSparse(std::int64_t first, std::int64_t count) const {
  return first < plan_->embedding || first + count > plan_->recurrentAt();
}

std::size_t ValueCodec::write(std::span<std::byte> out, std::int64_t first,
                              std::span<const float> values) const {
  const std::size_t gradient = isPlain() ? 0 : coded(first, std::ssize(values));
  if (gradient > 0) {
    const auto write = plan_->codec == Codec::kBf16 ? kernels_->toBf16 : kernels_->toFp16;
    write(raw(out.data()), values.data(), gradient);
  }
  const std::size_t at = gradient * sizeOf(plan_->codec);
  const auto rest = std::as_bytes(values.subspan(gradient));
  if (!rest.empty()) std::memcpy(out.data() + at, rest.data(), rest.size());
  return limited(out.data(), gradient);
}

std::size_t ValueCodec::read(std::span<float> out, std::int64_t first, BytesView bytes) const {
  const std::size_t gradient = isPlain() ? 0 : coded(first, std::ssize(out));
  if (gradient > 0) {
    const auto read = plan_->codec == Codec::kBf16 ? kernels_->fromBf16 : kernels_->fromFp16;
    read(out.data(), raw(bytes.data()), gradient);
  }
  const std::size_t at = gradient * sizeOf(plan_->codec);
  const auto rest = std::as_writable_bytes(out.subspan(gradient));
  if (!rest.empty()) std::memcpy(rest.data(), bytes.data() + at, rest.size());
  return limited(bytes.data(), gradient);
}

std::size_t ValueCodec::limited(const std::byte* bytes, std::size_t count) const {
  if (plan_->codec != Codec::kFp16) return 0;
  return kernels_->countHalves(raw(bytes), count, kLargestFp16);
}

}  // namespace sumac::wire
