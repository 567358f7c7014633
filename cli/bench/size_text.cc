#include "cli/bench/size_text.h"

#include <array>
#include <charconv>

namespace sumac::cli {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t bytes;
};

// The larger ones first: a size is shown in the first one that it is a multiple of.
constexpr std::array kUnits{
    Unit{"GB", 1'000'000'000}, Unit{"GiB", 1 << 30}, Unit{"MB", 1'000'000}, Unit{"MiB", 1 << 20},
    Unit{"kB", 1'000},         Unit{"KiB", 1 << 10}, Unit{"B", 1}};
constexpr std::int64_t kMost = std::int64_t{1} << 40;

}  // namespace

Result<std::int64_t> bytesFromText(std::string_view text) {
  const Error error{ErrorCode::kInvalid, "`" + std::string(text) +
                                             "` is no size: write bytes such as 4kB, 64MB, 1MiB "
                                             "or 248000"};
  std::int64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || number < 0 || number > kMost) return error;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.starts_with(' ')) text.remove_prefix(1);
  if (text.empty()) return number;
  for (const Unit& unit : kUnits) {
    if (text != unit.name) continue;
    if (number > kMost / unit.bytes) return error;
    return number * unit.bytes;
  }
  return error;
}

std::string sizeText(std::int64_t bytes) {
  for (const Unit& unit : kUnits) {
    if (bytes % unit.bytes == 0 && bytes >= unit.bytes)
      return std::to_string(bytes / unit.bytes) + " " + std::string(unit.name);
  }
  return "0 B";
}

}  // namespace sumac::cli
