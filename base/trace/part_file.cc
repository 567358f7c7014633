#include "base/trace/part_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

namespace sumac::trace {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kBegin = R"({"displayTimeUnit":"ms","traceEvents":[)";
constexpr const char* kEnd = R"(],"otherData":)";
constexpr std::size_t kMaxLine = 4096;

// Rows of a process in the viewer. Those of a range take pushes and waits, which do not overlap.
// Steps have their own: one may end while the next is computed.
constexpr std::int64_t kStepRow = 1;
constexpr std::int64_t kTrainerRow = 2;
constexpr std::int64_t kFirstRangeRow = 1'000;
constexpr std::int64_t kFirstSumRow = 1'000'000'000;
// Numbers of processes in the viewer: servers before workers.
constexpr int kFirstWorker = kLargestIndex + 1;

double microseconds(Duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

int processOf(Slot slot) {
  return 1 + slot.index + (slot.role == Role::kWorker ? kFirstWorker : 0);
}

bool isOfRange(Activity activity) {
  return activity == Activity::kPush || activity == Activity::kWait || activity == Activity::kSum;
}

std::int64_t rowOf(const Span& span) {
  if (span.activity == Activity::kStep) return kStepRow;
  if (!isOfRange(span.activity)) return kTrainerRow;
  return span.number + (span.activity == Activity::kSum ? kFirstSumRow : kFirstRangeRow);
}

std::string rowName(const Span& span) {
  std::string range = "range " + std::to_string(span.number);
  if (span.activity == Activity::kSum) return "sum of " + range;
  if (isOfRange(span.activity)) return range;
  return span.activity == Activity::kStep ? "steps" : "trainer";
}

/// "M" names a process or one of its rows.
ordered_json metadata(const char* what, int process, std::int64_t row, ordered_json arguments) {
  return {
      {"name", what}, {"ph", "M"}, {"pid", process}, {"tid", row}, {"args", std::move(arguments)}};
}

ordered_json eventOf(const Span& span, int process, Duration shift) {
  ordered_json arguments{{"step", span.step}};
  if (isOfRange(span.activity)) {
    arguments["range"] = span.number;
    arguments["bytes"] = span.bytes;
  } else if (span.activity == Activity::kForward || span.activity == Activity::kBackward) {
    arguments["part"] = span.number;
  }
  return {{"name", toString(span.activity)},
          {"cat", isOfRange(span.activity) ? "exchange" : "trainer"},
          {"ph", "X"},
          {"ts", microseconds(span.begin.time_since_epoch() + shift)},
          {"dur", microseconds(span.end - span.begin)},
          {"pid", process},
          {"tid", rowOf(span)},
          {"args", std::move(arguments)}};
}

ordered_json descriptionOf(Slot self, const Recorder::Content& content) {
  ordered_json description{{"process", sumac::toString(self)},
                           {"steps", toString(content.steps)},
                           {"dropped", content.dropped},
                           {"aligned", content.offset.has_value()}};
  if (content.offset) {
    description["offsetUs"] = microseconds(content.offset->to_coordinator);
    description["uncertaintyUs"] = microseconds(content.offset->uncertainty);
    description["echoes"] = content.offset->echoes;
  }
  std::optional<StepRange> done;
  for (const Span& span : content.spans) {
    if (span.activity != Activity::kStep) continue;
    if (!done) done = StepRange{span.step, span.step};
    done = StepRange{std::min(done->from, span.step), std::max(done->to, span.step)};
  }
  if (done) description["done"] = toString(*done);
  return description;
}

void addRows(const Recorder::Content& content, int process, EventsFile& file) {
  std::map<std::int64_t, std::string> rows;
  for (const Span& span : content.spans)
    rows.try_emplace(rowOf(span), rowName(span));
  for (const auto& [row, name] : rows) {
    file.add(metadata("thread_name", process, row, {{"name", name}}).dump());
    file.add(metadata("thread_sort_index", process, row, {{"sort_index", row}}).dump());
  }
}

bool isEvent(const std::string& line) {
  return json::parse(line, nullptr, /*allow_exceptions=*/false).is_object();
}

/// The next line of a file that anybody may have written; false at its end, and at a line that is
/// longer than an event may be, of which no more is read.
bool readLine(std::istream& in, std::string& line) {
  line.resize(kMaxLine + 2);  // a comma after the event, and getline()'s end
  in.getline(line.data(), static_cast<std::streamsize>(line.size()));
  if (in.fail()) return false;
  line.resize(static_cast<std::size_t>(in.gcount()) - (in.eof() ? 0U : 1U));
  return true;
}

std::optional<Part> partFrom(const std::string& description) {
  const json read = json::parse(description, nullptr, /*allow_exceptions=*/false);
  if (!read.is_object()) return std::nullopt;
  Part part;
  part.description = read.dump(-1, ' ', false, json::error_handler_t::replace);
  part.is_complete = true;
  const auto aligned = read.find("aligned");
  part.is_aligned = aligned != read.end() && aligned->is_boolean() && aligned->get<bool>();
  const auto dropped = read.find("dropped");
  if (dropped != read.end() && dropped->is_number_unsigned())
    part.dropped = dropped->get<std::uint64_t>();
  const auto done = read.find("done");
  if (done != read.end() && done->is_string()) {
    if (const auto steps = stepRangeFrom(done->get<std::string>())) part.steps = *steps;
  }
  return part;
}

}  // namespace

std::filesystem::path partFile(const std::filesystem::path& folder, Slot slot) {
  const char* const role = slot.role == Role::kServer ? "server-" : "worker-";
  return folder / (role + std::to_string(slot.index) + ".trace");
}

EventsFile::EventsFile(std::filesystem::path path)
    : path_(std::move(path)), out_(path_, std::ios::binary | std::ios::trunc) {
  noteFailure();
  out_ << kBegin;
}

void EventsFile::noteFailure() {
  if (!out_ && failure_ == 0) failure_ = errno;
}

EventsFile::~EventsFile() {
  if (is_complete_) return;
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

void EventsFile::add(const std::string& event) {
  out_ << (has_events_ ? ",\n" : "\n") << event;
  noteFailure();
  has_events_ = true;
}

Result<void> EventsFile::complete(const std::string& description) {
  out_ << '\n' << kEnd << description << "}\n";
  out_.close();  // the disk may be found full only now
  noteFailure();
  if (out_) {
    is_complete_ = true;
    return {};
  }
  return Error{ErrorCode::kUnavailable, "cannot write " + path_.string() + ": " +
                                            std::strerror(failure_) +
                                            "; is there room on its disk?"};
}

Result<void> writePart(const std::filesystem::path& file, Slot self,
                       const Recorder::Content& content) {
  EventsFile out(file);
  const int process = processOf(self);
  out.add(metadata("process_name", process, 0, {{"name", sumac::toString(self)}}).dump());
  out.add(metadata("process_sort_index", process, 0, {{"sort_index", process}}).dump());
  addRows(content, process, out);
  const Duration shift = content.offset ? content.offset->to_coordinator : Duration::zero();
  for (const Span& span : content.spans)
    out.add(eventOf(span, process, shift).dump());
  return out.complete(descriptionOf(self, content).dump());
}

Result<Part> readPart(const std::filesystem::path& file,
                      const std::function<void(const std::string& event)>& onEvent) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return Error{ErrorCode::kNotFound, "there is no " + file.string()};
  std::string line;
  if (!readLine(in, line) || line != kBegin)
    return Error{ErrorCode::kInvalid, file.string() + " is not a trace"};
  while (readLine(in, line)) {
    if (line.starts_with(kEnd)) {
      line.erase(0, std::strlen(kEnd));
      if (line.ends_with('}')) line.pop_back();
      return partFrom(line).value_or(Part());
    }
    if (line.ends_with(',')) line.pop_back();
    if (!isEvent(line)) break;
    onEvent(line);
  }
  return Part();
}

}  // namespace sumac::trace
