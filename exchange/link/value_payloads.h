#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "exchange/link/payload.h"
#include "exchange/plan/range_run.h"
#include "exchange/wire/header.h"
#include "exchange/wire/value_codec.h"

namespace sumac::link {

/// Values of the exchange vector as payloads, and back: for those who contribute and those who sum.
/// With fp32 a payload refers to the values where they lie, unless blocks of zeros are left out.
/// A value type. Owned by one thread.
class ValuePayloads {
 public:
  /// As wire::ValueCodec.
  ValuePayloads(const ExchangePlan& plan, const KernelTable* kernels)
      : codec_(plan, kernels), wire_codec_(plan.codec) {}

  struct Written {
    PayloadPtr payload;
    bool is_sparse = false;
  };
  /// The values of a run; `owner` keeps them where they are.
  Written write(const RangeRun& run, std::span<const float> values,
                std::shared_ptr<const void> owner);
  /// What the header of such a message says of its payload.
  void describe(const Written& written, wire::Header& header) const {
    header.codec = wire_codec_;
    header.is_sparse = written.is_sparse;
  }

  /// Whether a message is written by this codec; another member's must be.
  bool isOurs(const wire::Header& header) const { return header.codec == wire_codec_; }
  struct Restored {
    BytesView bytes;
    std::shared_ptr<const void> owner;  // keeps them; null: they are the payload's
  };
  /// The payload of a message of a run, with all its values written. Nothing if it has another size
  /// than these.
  std::optional<Restored> restore(const wire::Header& header, const RangeRun& run,
                                  BytesView payload) const;
  /// The values [first, first + out.size()) of what restore() gave for a run.
  void read(const RangeRun& run, BytesView restored, std::int64_t first, std::span<float> out);
  /// Whether restored bytes are the values, as they lie in memory.
  bool isPlain() const { return codec_.isPlain(); }

  /// How many values were as large as fp16 allows: nearly all of these were larger.
  std::uint64_t limited() const { return limited_; }

 private:
  wire::ValueCodec codec_;
  Codec wire_codec_;
  std::uint64_t limited_ = 0;
};

}  // namespace sumac::link
