#include "base/protobuf/message.h"

#include <bit>

#include "base/core/check.h"
#include "base/protobuf/wire.h"

namespace sumac::protobuf {
namespace {

void append(Bytes& to, BytesView bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

}  // namespace

// Seven bits a byte, the lowest first; the eighth says that more follow.
void Message::addVarint(std::uint64_t value) {
  constexpr unsigned kBits = 7;
  constexpr std::uint64_t kMore = 0x80;
  for (; value >= kMore; value >>= kBits)
    own_.push_back(static_cast<std::byte>((value & (kMore - 1)) | kMore));
  own_.push_back(static_cast<std::byte>(value));
}

void Message::addTag(int field, unsigned wire_type) {
  SUMAC_CHECK(field >= 1 && field <= kMaxField, field);
  addVarint(static_cast<std::uint64_t>(field) << kWireTypeBits | wire_type);
}

void Message::addNumber(int field, std::int64_t value) {
  addTag(field, kVarint);
  addVarint(static_cast<std::uint64_t>(value));
}

void Message::addFloat(int field, float value) {
  addTag(field, kFixed32);
  own_.resize(own_.size() + sizeof value);
  storeLittleEndian(own_.data() + own_.size() - sizeof value, std::bit_cast<std::uint32_t>(value));
}

void Message::addDouble(int field, double value) {
  addTag(field, kFixed64);
  own_.resize(own_.size() + sizeof value);
  storeLittleEndian(own_.data() + own_.size() - sizeof value, std::bit_cast<std::uint64_t>(value));
}

void Message::addBytes(int field, BytesView bytes) {
  addTag(field, kLengthDelimited);
  addVarint(bytes.size());
  append(own_, bytes);
}

void Message::addView(int field, BytesView bytes) {
  addTag(field, kLengthDelimited);
  addVarint(bytes.size());
  views_.push_back({own_.size(), bytes});
  viewed_ += bytes.size();
}

void Message::addMessage(int field, const Message& message) {
  addTag(field, kLengthDelimited);
  addVarint(message.size());
  for (const View& view : message.views_)
    views_.push_back({own_.size() + view.at, view.bytes});
  viewed_ += message.viewed_;
  append(own_, message.own_);
}

Bytes Message::bytes() const {
  Bytes all;
  all.reserve(size());
  appendTo(all);
  return all;
}

void Message::appendTo(Bytes& all) const {
  std::size_t done = 0;
  for (const View& view : views_) {
    append(all, BytesView(own_).subspan(done, view.at - done));
    append(all, view.bytes);
    done = view.at;
  }
  append(all, BytesView(own_).subspan(done));
}

void Message::clear() {
  own_.clear();
  views_.clear();
  viewed_ = 0;
}

}  // namespace sumac::protobuf
