#include "exchange/link/value_payloads.h"

#include <utility>

#include "exchange/wire/codec.h"
#include "exchange/wire/zero_blocks.h"

namespace sumac::link {
namespace {

struct Room {
  std::shared_ptr<std::byte[]> owner;
  std::span<std::byte> bytes;
};

Room roomFor(std::size_t size) {
  auto owner = std::make_shared_for_overwrite<std::byte[]>(size);
  const std::span<std::byte> bytes(owner.get(), size);
  return {std::move(owner), bytes};
}

}  // namespace

ValuePayloads::Written ValuePayloads::write(const RangeRun& run, std::span<const float> values,
                                            std::shared_ptr<const void> owner) {
  BytesView bytes = std::as_bytes(values);
  if (!codec_.isPlain()) {
    const Room room = roomFor(codec_.size(run.first, run.count));
    limited_ += codec_.write(room.bytes, run.first, values);
    bytes = room.bytes;
    owner = room.owner;
  }
  if (codec_.mayBeSparse(run.first, run.count)) {
    if (auto sparse = wire::withoutZeroBlocks(bytes)) {
      const auto kept = std::make_shared<const Bytes>(*std::move(sparse));
      return {sharePayload(*kept, kept), true};
    }
  }
  return {sharePayload(bytes, std::move(owner)), false};
}

std::optional<ValuePayloads::Restored> ValuePayloads::restore(const wire::Header& header,
                                                              const RangeRun& run,
                                                              BytesView payload) const {
  const std::size_t size = codec_.size(run.first, run.count);
  if (!header.is_sparse) {
    if (payload.size() != size) return std::nullopt;
    return Restored{payload, nullptr};
  }
  if (size > wire::kMaxDataPayload) return std::nullopt;
  const Room room = roomFor(size);
  if (!wire::restoreZeroBlocks(payload, room.bytes)) return std::nullopt;
  return Restored{room.bytes, room.owner};
}

void ValuePayloads::read(const RangeRun& run, BytesView restored, std::int64_t first,
                         std::span<float> out) {
  const std::size_t at = codec_.size(run.first, first - run.first);
  const std::size_t size = codec_.size(first, std::ssize(out));
  limited_ += codec_.read(out, first, restored.subspan(at, size));
}

}  // namespace sumac::link
