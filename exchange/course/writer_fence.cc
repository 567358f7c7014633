#include "exchange/course/writer_fence.h"

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <system_error>
#include <tuple>

#include <nlohmann/json.hpp>

#include "base/core/file.h"

namespace sumac::worker {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::size_t kMostOfLine = 1000;
constexpr std::uint64_t kMostNumber = ~std::uint64_t{0};

/// A whole number of `line`, from 0 to `most`.
std::optional<std::uint64_t> numberIn(const json& line, const char* key, std::uint64_t most) {
  const auto found = line.find(key);
  if (found == line.end() || !found->is_number_unsigned()) return std::nullopt;
  const auto number = found->get<std::uint64_t>();
  return number <= most ? std::optional(number) : std::nullopt;
}

std::string toText(const Writer& writer) {
  return toString(writer.member.slot) + " of attempt " + std::to_string(writer.attempt) +
         ", term " + std::to_string(writer.order.term) + ", generation " +
         std::to_string(writer.order.generation) + " (incarnation " +
         std::to_string(writer.member.incarnation) + ")";
}

Error cannotWrite(const std::filesystem::path& path, int number) {
  const std::error_code failure(number, std::generic_category());
  return {errorCodeOf(failure), "cannot write " + path.string() + ": " + failure.message()};
}

}  // namespace

std::string writerFileOf(const std::string& owner) {
  return owner.empty() ? "writer" : "writer-" + owner;
}

std::string toLine(const Writer& writer) {
  const ordered_json line{{"job", writer.job},
                          {"attempt", writer.attempt},
                          {"term", writer.order.term},
                          {"generation", writer.order.generation},
                          {"worker", writer.member.slot.index},
                          {"incarnation", writer.member.incarnation}};
  return line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::optional<Writer> writerFromLine(std::string_view text) {
  if (text.size() > kMostOfLine || !text.ends_with('\n')) return std::nullopt;  // cut short
  const json line = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!line.is_object()) return std::nullopt;
  const auto job = line.find("job");
  if (job == line.end() || !job->is_string()) return std::nullopt;
  const auto attempt = numberIn(line, "attempt", kMostNumber);
  const auto term = numberIn(line, "term", kMostTerm);
  const auto generation = numberIn(line, "generation", kMostTerm);
  const auto worker = numberIn(line, "worker", kLargestIndex);
  const auto incarnation = numberIn(line, "incarnation", kMostNumber);
  if (!attempt || !term || !generation || !worker || !incarnation) return std::nullopt;
  return Writer{job->get<std::string>(),
                *attempt,
                {static_cast<std::uint32_t>(*term), static_cast<std::uint32_t>(*generation)},
                {{Role::kWorker, static_cast<int>(*worker)}, *incarnation}};
}

Result<std::optional<Writer>> WriterFence::holder() const {
  const auto text = readTextFile(path_, kMostOfLine);
  if (text) return writerFromLine(*text);
  const ErrorCode code = text.error().code;
  if (code == ErrorCode::kNotFound || code == ErrorCode::kInvalid) return std::optional<Writer>();
  return text.error();
}

// Another process may put its name there between our look and our name, so we look again. Of two
// the lower one gives way, so this ends; the bound is for what no member would do.
Result<void> WriterFence::hold(RosterOrder order) {
  constexpr int kMostTries = 10;
  self_.order = order;
  for (int tries = 0; tries < kMostTries; ++tries) {
    const auto found = holder();
    if (!found) return found.error();
    if (*found == self_) {
      has_held_ = true;
      return {};
    }
    if (*found && isAfterUs(**found, /*by_this_roster=*/true)) return stale(**found);
    if (auto written = put(); !written) return written;
  }
  return Error{ErrorCode::kUnavailable,
               path_.string() + " changes all the time: see what writes there"};
}

Result<void> WriterFence::check(RosterOrder order) {
  self_.order = order;
  const auto found = holder();
  if (!found) return found.error();
  if (*found && isAfterUs(**found, /*by_this_roster=*/false)) return stale(**found);
  return {};
}

bool WriterFence::isAfterUs(const Writer& other, bool by_this_roster) const {
  if (other.member == self_.member) return false;
  if (other.job != self_.job) return has_held_;  // the job was made again, with this one's folder
  const auto order = std::tie(other.attempt, other.order) <=> std::tie(self_.attempt, self_.order);
  return by_this_roster ? order >= 0 : order > 0;
}

Error WriterFence::stale(const Writer& other) const {
  return {ErrorCode::kStale,
          path_.string() + " names another writer, " + toText(other) + ", and no longer " +
              toText(self_) +
              ", which was taken for lost; if no other process of this job lives, remove that "
              "file"};
}

// Not durable: when power fails, no writer is left that it would have to keep out.
Result<void> WriterFence::put() const {
  auto temporary = path_;
  temporary += "-" + std::to_string(self_.member.incarnation);  // nobody else's
  errno = 0;
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  file << toLine(self_);
  file.close();
  Result<void> written;
  if (!file) written = cannotWrite(temporary, errno == 0 ? EIO : errno);
  if (written && std::rename(temporary.c_str(), path_.c_str()) != 0)
    written = cannotWrite(path_, errno);
  if (!written) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
  }
  return written;
}

}  // namespace sumac::worker
