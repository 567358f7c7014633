#include "job/tensorboard/event_file.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <system_error>
#include <utility>

#include "base/core/crc32c.h"
#include "base/core/file.h"
#include "base/protobuf/field_reader.h"

namespace sumac::tensorboard {
namespace {

constexpr std::string_view kBeginning = "events.out.tfevents.";
constexpr std::string_view kEnding = ".sumac";
constexpr std::uint64_t kMostBytes = 64 << 20;  // ours have some 100 kB

constexpr std::size_t kEventBytes = 512;  // of one that we write, at most

// Numbers of tensorflow.Event, .SessionLog, .Summary and .Summary.Value.
namespace field {
constexpr int kWallTime = 1;
constexpr int kStep = 2;
constexpr int kFileVersion = 3;
constexpr int kSummary = 5;
constexpr int kSessionLog = 7;
constexpr int kStatus = 1;
constexpr int kValue = 1;
constexpr int kTag = 1;
constexpr int kSimpleValue = 2;
}  // namespace field
constexpr int kStart = 1;  // SessionLog.SessionStatus
constexpr std::string_view kVersion = "brain.Event:2";

constexpr std::size_t kLengthBytes = sizeof(std::uint64_t);
constexpr std::size_t kCrcBytes = sizeof(std::uint32_t);

/// TFRecord's: a checksum of bytes that hold checksums themselves would be weak.
std::uint32_t maskedCrc(BytesView bytes) {
  constexpr int kTurn = 15;
  constexpr std::uint32_t kDelta = 0xa282ead8U;
  return std::rotr(crc32c(bytes), kTurn) + kDelta;
}

template <typename T>
void put(Bytes& to, T value) {
  to.resize(to.size() + sizeof value);
  storeLittleEndian(to.data() + to.size() - sizeof value, value);
}

/// The message of the record at the beginning of `rest`, which loses it; none where it is cut short
/// or damaged.
std::optional<BytesView> takeRecord(BytesView& rest) {
  constexpr std::size_t kHead = kLengthBytes + kCrcBytes;
  if (rest.size() < kHead + kCrcBytes) return std::nullopt;
  const auto length = loadLittleEndian<std::uint64_t>(rest.data());
  const auto head_crc = loadLittleEndian<std::uint32_t>(rest.data() + kLengthBytes);
  if (maskedCrc(rest.first(kLengthBytes)) != head_crc) return std::nullopt;
  if (length > rest.size() - kHead - kCrcBytes) return std::nullopt;
  const BytesView message = rest.subspan(kHead, length);
  const auto crc = loadLittleEndian<std::uint32_t>(message.data() + length);
  if (maskedCrc(message) != crc) return std::nullopt;
  rest = rest.subspan(kHead + length + kCrcBytes);
  return message;
}

std::pair<std::string, float> scalarOf(BytesView message) {
  std::pair<std::string, float> scalar;
  protobuf::FieldReader fields(message);
  while (const auto field = fields.next()) {
    if (field->number == field::kTag) scalar.first = asText(field->bytes);
    if (field->number == field::kSimpleValue)
      scalar.second = std::bit_cast<float>(static_cast<std::uint32_t>(field->value));
  }
  return scalar;
}

void readSummary(BytesView message, Event& event) {
  protobuf::FieldReader fields(message);
  while (const auto field = fields.next())
    if (field->number == field::kValue) event.scalars.push_back(scalarOf(field->bytes));
}

Event eventOf(BytesView message) {
  Event event;
  protobuf::FieldReader fields(message);
  while (const auto field = fields.next()) {
    if (field->number == field::kStep) event.step = static_cast<Step>(field->value);
    if (field->number == field::kSummary) readSummary(field->bytes, event);
    if (field->number == field::kSessionLog) event.is_start = true;
  }
  return event;
}

/// SECONDS of a file's name; none of another file.
std::optional<std::int64_t> secondsOf(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  if (!name.starts_with(kBeginning) || !name.ends_with(kEnding)) return std::nullopt;
  const char* const begin = name.data() + kBeginning.size();
  const char* const end = name.data() + name.size() - kEnding.size();
  std::int64_t seconds = 0;
  const auto [read, error] = std::from_chars(begin, end, seconds);
  return error == std::errc() && read == end && seconds >= 0 ? std::optional(seconds)
                                                             : std::nullopt;
}

std::vector<std::filesystem::path> filesIn(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    if (secondsOf(it->path())) found.push_back(it->path());
  }
  std::ranges::sort(found, {}, secondsOf);
  return found;
}

}  // namespace

std::vector<Event> eventsOf(BytesView file) {
  std::vector<Event> events;
  BytesView rest = file;
  while (const auto message = takeRecord(rest)) {
    events.push_back(eventOf(*message));
    events.back().end = file.size() - rest.size();
  }
  return events;
}

bool EventFile::isOne(const std::filesystem::path& path) {
  return secondsOf(path).has_value();
}

/// A file that cannot be read stays as it is: it is not ours.
Result<void> EventFile::cutOlder(const std::filesystem::path& path) {
  const auto file = readFile(path, kMostBytes);
  if (!file) return {};
  std::size_t kept = 0;
  bool has_scalars = false;
  for (const Event& event : eventsOf(*file)) {
    if (event.step > last_) break;
    kept = event.end;
    has_scalars = has_scalars || !event.scalars.empty();
    for (const auto& [tag, value] : event.scalars)
      newest_[tag] = std::max(newest_[tag], event.step);
  }
  std::error_code failure;
  if (!has_scalars)
    std::filesystem::remove(path, failure);
  else if (kept < file->size())
    std::filesystem::resize_file(path, kept, failure);
  if (!failure) return {};
  return Error{errorCodeOf(failure), "cannot cut " + path.string() + ": " + failure.message()};
}

/// The next file's name comes after all others: TensorBoard reads them in this order. It drops what
/// it has already read of the step of a start and of later ones.
Result<void> EventFile::open() {
  using std::chrono::seconds;
  newest_.clear();
  for (auto* const message : {&event_, &summary_, &value_})
    message->reserve(kEventBytes);
  record_.reserve(2 * kEventBytes);
  auto now = std::chrono::floor<seconds>(clock_->now().time_since_epoch()).count();
  const auto older = filesIn(folder_);
  for (const auto& path : older) {
    now = std::max(now, *secondsOf(path) + 1);
    if (auto cut = cutOlder(path); !cut) return cut;
  }
  const std::string name = std::string(kBeginning) + std::to_string(now) + std::string(kEnding);
  auto file = AppendedFile::open(folder_ / name, AppendedFile::Beginning::kNew);
  if (!file) return file.error();
  beginEvent(0);
  event_.addText(field::kFileVersion, kVersion);
  if (auto written = writeRecord(*file); !written) return written;
  if (!older.empty()) {
    beginEvent(last_ + 1);
    value_.clear();
    value_.addNumber(field::kStatus, kStart);
    event_.addMessage(field::kSessionLog, value_);
    if (auto written = writeRecord(*file); !written) return written;
  }
  file_ = *std::move(file);
  return {};
}

void EventFile::beginEvent(Step step) {
  event_.clear();
  const std::chrono::duration<double> seconds = clock_->now().time_since_epoch();
  event_.addDouble(field::kWallTime, seconds.count());
  event_.addNumber(field::kStep, step);
}

Result<void> EventFile::writeRecord(AppendedFile& file) {
  record_.clear();
  put(record_, event_.size());
  put(record_, maskedCrc(record_));
  event_.appendTo(record_);
  put(record_, maskedCrc(BytesView(record_).subspan(kLengthBytes + kCrcBytes)));
  return file.append(record_);
}

Result<void> EventFile::append(Step step, std::span<const Scalar> scalars) {
  if (!file_) {
    if (auto opened = open(); !opened) return opened;
  }
  summary_.clear();
  for (const auto& [tag, value] : scalars) {
    const auto newest = newest_.find(tag);
    if (newest != newest_.end() && newest->second >= step) continue;
    value_.clear();
    value_.addText(field::kTag, tag);
    value_.addFloat(field::kSimpleValue, static_cast<float>(value));
    summary_.addMessage(field::kValue, value_);
  }
  if (summary_.size() == 0) return {};
  beginEvent(step);
  event_.addMessage(field::kSummary, summary_);
  if (auto written = writeRecord(*file_); !written) return written;
  for (const auto& [tag, value] : scalars) {
    const auto newest = newest_.find(tag);
    if (newest == newest_.end())
      newest_.emplace(tag, step);
    else
      newest->second = std::max(newest->second, step);
  }
  return {};
}

}  // namespace sumac::tensorboard
