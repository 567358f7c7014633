#include "exchange/member/state_transfer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/core/check.h"
#include "base/core/crc32c.h"
#include "exchange/wire/order.h"

namespace sumac {

namespace {

using wire::Header;
using wire::MessageType;
using wire::orderOf;

/// Calls visit(piece) for the parts of `pieces` that have the bytes [first, first + count) of all.
template <typename T, typename Visit>
void visitRange(const std::vector<std::span<T>>& pieces, std::size_t first, std::size_t count,
                const Visit& visit) {
  for (const std::span<T> piece : pieces) {
    if (count == 0) return;
    if (first >= piece.size()) {
      first -= piece.size();
      continue;
    }
    const std::size_t here = std::min(count, piece.size() - first);
    visit(piece.subspan(first, here));
    first = 0;
    count -= here;
  }
}

/// The values of all pieces.
template <typename T>
std::size_t valuesOf(const std::vector<std::span<T>>& pieces) {
  std::size_t bytes = 0;
  for (const std::span<T> piece : pieces)
    bytes += piece.size();
  SUMAC_CHECK(bytes % StateTransfer::kValueBytes == 0, bytes);
  return bytes / StateTransfer::kValueBytes;
}

}  // namespace

void StateTransfer::onRoster(const Roster& roster) {
  order_ = roster.order;
  step_ = roster.start_step;
  const auto source = roster.sources.find(base_.sender.slot);
  source_ = source == roster.sources.end() ? std::nullopt : std::optional(source->second);
  cancel();
  pieces_.clear();
  here_ = size_ = 0;
  is_repeated_ = false;
  receivers_.clear();
  for (const auto& [from, order] : early_) {
    if (order == order_) receivers_[from];
  }
  std::erase_if(early_, [this](const auto& ask) { return ask.second <= order_; });
}

void StateTransfer::offer(StateView state) {
  if (state.step != step_ || source_) return;  // of a roster that is over
  pieces_ = std::move(state.pieces);
  size_ = valuesOf(pieces_);
  here_ = size_;
  pumpAll();
}

void StateTransfer::receive(StateRoom room) {
  if (room.step != step_) return;
  SUMAC_CHECK(source_.has_value(), step_);
  room_ = std::move(room);
  adoptPieces();
  askSource();
}

void StateTransfer::adoptPieces() {
  pieces_.assign(room_->pieces.begin(), room_->pieces.end());
  size_ = valuesOf(pieces_);
}

void StateTransfer::cancel() {
  if (!room_) return;
  room_.reset();
  pieces_.clear();
  here_ = size_ = 0;
}

Header StateTransfer::header(MessageType type) const {
  Header header = base_;
  header.type = type;
  header.term = order_.term;
  header.generation = order_.generation;
  header.step = step_;
  return header;
}

void StateTransfer::askSource() {
  here_ = 0;
  crc_ = 0;
  for (auto& [to, receiver] : receivers_)
    receiver = {};  // what came wrong went on to them
  link_->send(link::dataLaneOf(*source_), header(MessageType::kStateAsk), BytesView{});
}

StateArrival StateTransfer::onMessage(Slot from, const Header& header, BytesView payload) {
  if (header.type == MessageType::kStateAsk) {
    takeAsk(from, header);
    return StateArrival::kUnderWay;
  }
  const bool is_awaited =
      room_ && orderOf(header) == order_ && header.step == step_ && from == source_;
  if (!is_awaited) {
    ++ignored_;
    return StateArrival::kUnderWay;
  }
  if (header.type == MessageType::kStateEnd) return takeEnd(header);
  if (!hasRoomFor(header)) {
    cancel();
    return StateArrival::kWrong;
  }
  if (!take(header, payload)) ++ignored_;
  pumpAll();
  return StateArrival::kUnderWay;
}

/// Makes the room as soon as its size is known.
bool StateTransfer::hasRoomFor(const Header& header) {
  if (!room_->make || !room_->pieces.empty()) return true;
  auto pieces = room_->make(header.value);
  if (!pieces) return false;
  room_->pieces = *std::move(pieces);
  adoptPieces();
  return true;
}

/// From the beginning, also where it was sent before: what came there was wrong.
void StateTransfer::takeAsk(Slot from, const Header& header) {
  if (orderOf(header) > order_) {
    early_[from] = orderOf(header);
    return;
  }
  if (orderOf(header) != order_ || header.step != step_ || from.role != Role::kWorker) {
    ++ignored_;
    return;
  }
  Receiver& receiver = receivers_[from];
  receiver = {};
  pump(from, receiver);
}

/// The next values, in order and within the state; no others are.
bool StateTransfer::take(const Header& header, BytesView payload) {
  const std::size_t count = header.count;
  const bool is_next = header.first == here_ && count > 0 && count <= size_ - here_ &&
                       header.codec == Codec::kFp32 && !header.is_sparse &&
                       payload.size() == count * kValueBytes;
  if (!is_next) return false;
  crc_ = crc32c(payload, crc_);
  visitRange(room_->pieces, here_ * kValueBytes, payload.size(), [&](std::span<std::byte> to) {
    std::memcpy(to.data(), payload.data(), to.size());
    payload = payload.subspan(to.size());
  });
  here_ += count;
  return true;
}

/// A first wrong checksum may be a slip of memory on the way: all is sent once more.
StateArrival StateTransfer::takeEnd(const Header& header) {
  const bool is_right = here_ == size_ && header.first == size_ && header.value == crc_;
  if (is_right) {
    room_.reset();
    source_.reset();
    pumpAll();
    return StateArrival::kWhole;
  }
  if (std::exchange(is_repeated_, true)) {
    cancel();
    return StateArrival::kWrong;
  }
  askSource();
  return StateArrival::kUnderWay;
}

void StateTransfer::onRoom(Slot peer) {
  const auto found = receivers_.find(peer);
  if (found != receivers_.end()) pump(found->first, found->second);
}

bool StateTransfer::isSending() const {
  return std::ranges::any_of(receivers_, [](const auto& one) { return !one.second.is_told; });
}

void StateTransfer::pumpAll() {
  for (auto& [to, receiver] : receivers_)
    pump(to, receiver);
}

/// Sends what is here, as far as the lane's credit goes. Where more was sent than is here, this
/// worker's own came wrong, and so did theirs: they ask again.
void StateTransfer::pump(Slot to, Receiver& receiver) {
  while (
      receiver.sent < here_ &&
      link_->hasRoom(link::dataLaneOf(to), std::min(kChunk, here_ - receiver.sent) * kValueBytes))
    sendChunk(to, receiver);
  const bool is_all = here_ == size_ && size_ > 0 && receiver.sent == size_ && !room_;
  if (!is_all || receiver.is_told || !link_->hasRoom(link::dataLaneOf(to), 0)) return;
  Header message = header(MessageType::kStateEnd);
  message.first = size_;
  message.value = receiver.crc;
  link_->send(link::dataLaneOf(to), message, BytesView{});
  receiver.is_told = true;
}

void StateTransfer::sendChunk(Slot to, Receiver& receiver) {
  const std::size_t count = std::min(kChunk, here_ - receiver.sent);
  const auto copy = std::make_shared<Bytes>();
  copy->reserve(count * kValueBytes);
  visitRange(pieces_, receiver.sent * kValueBytes, count * kValueBytes,
             [&](BytesView from) { copy->insert(copy->end(), from.begin(), from.end()); });
  Header message = header(MessageType::kState);
  message.first = receiver.sent;
  message.count = static_cast<std::uint32_t>(count);
  message.value = size_;
  message.codec = Codec::kFp32;
  receiver.crc = crc32c(*copy, receiver.crc);
  receiver.sent += count;
  link_->send(link::dataLaneOf(to), message, link::sharePayload(*copy, copy));
}

}  // namespace sumac
