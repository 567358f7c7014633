#include "engine/data/npy_head.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <system_error>

#include "base/core/bytes.h"
#include "base/core/check.h"
#include "base/core/checked.h"
#include "engine/data/csv.h"

namespace sumac::worker {
namespace {

constexpr std::string_view kNpyMagic = "\x93NUMPY";
constexpr std::size_t kMaxRank = 32;  // numpy's

struct NpyTypeRow {
  std::string_view descr;
  NpyType type;
  std::size_t size;
  std::string_view name;
};

constexpr std::array<NpyTypeRow, 5> kNpyTypes{{
    {"|u1", NpyType::kU1, 1, "uint8"},
    {"<i4", NpyType::kI4, 4, "int32"},
    {"<i8", NpyType::kI8, 8, "int64"},
    {"<f4", NpyType::kF4, 4, "float32"},
    {"<f8", NpyType::kF8, 8, "float64"},
}};

Error npyHeadInvalid(const std::string& what) {
  return Error{ErrorCode::kInvalid, what};
}

Error notNpy(const std::string& what) {
  return npyHeadInvalid("its head is not as np.save writes it (" + what +
                        "); write it again with np.save");
}

/// Reads a dictionary of Python that has strings, truth values and tuples of integers; of a list,
/// as structured types are, the beginning alone.
class NpyHeadReader {
 public:
  explicit NpyHeadReader(std::string_view text) : rest_(text) {}

  Result<void> read() {
    if (!takes('{')) return notNpy("it has no dictionary");
    while (!takes('}')) {
      const auto key = string();
      if (!key || !takes(':')) return notNpy("an entry has no name");
      if (auto taken = entry(*key); !taken) return taken;
      if (takes(',')) continue;
      if (!takes('}')) return notNpy("an entry does not end");
      break;
    }
    skipSpace();
    if (!rest_.empty()) return notNpy("there is text behind its dictionary");
    if (!descr || !is_fortran || !shape) return notNpy("descr, fortran_order or shape is missing");
    return {};
  }

  std::optional<std::string_view> descr;
  std::optional<bool> is_fortran;
  std::optional<std::vector<std::uint64_t>> shape;

 private:
  Result<void> entry(std::string_view key) {
    if (key == "descr" && !descr) {
      skipSpace();
      if (rest_.starts_with('[')) {
        return npyHeadInvalid(
            "it has a structured type; make its fields columns: "
            "np.stack([x[name] for name in x.dtype.names], axis=1)");
      }
      if ((descr = string())) return {};
    } else if (key == "fortran_order" && !is_fortran) {
      if ((is_fortran = truth())) return {};
    } else if (key == "shape" && !shape) {
      if ((shape = tuple())) return {};
    }
    return notNpy("its entry " + shownCell(key) + " is unknown, twice, or no value of its kind");
  }

  void skipSpace() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
  }

  bool takes(char wanted) {
    skipSpace();
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool takes(std::string_view word) {
    skipSpace();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  std::optional<std::string_view> string() {
    const char quote = takes('\'') ? '\'' : takes('"') ? '"' : '\0';
    if (quote == '\0') return std::nullopt;
    const std::size_t end = rest_.find(quote);
    if (end == rest_.npos) return std::nullopt;
    const std::string_view content = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    // No name and no type has an escape.
    return content.find('\\') == content.npos ? std::optional(content) : std::nullopt;
  }

  std::optional<bool> truth() {
    if (takes("True")) return true;
    if (takes("False")) return false;
    return std::nullopt;
  }

  std::optional<std::uint64_t> integer() {
    skipSpace();
    std::uint64_t value = 0;
    const char* const begin = rest_.data();
    const auto [stop, failure] = std::from_chars(begin, begin + rest_.size(), value);
    if (failure != std::errc{}) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(stop - begin));
    takes('L');  // as Python 2 wrote
    return value;
  }

  std::optional<std::vector<std::uint64_t>> tuple() {
    std::vector<std::uint64_t> values;
    if (!takes('(')) return std::nullopt;
    while (!takes(')')) {
      const auto value = integer();
      if (!value || values.size() == kMaxRank) return std::nullopt;
      values.push_back(*value);
      if (takes(',')) continue;
      if (!takes(')')) return std::nullopt;
      break;
    }
    return values;
  }

  std::string_view rest_;
};

Result<NpyType> typeOfDescr(std::string_view descr) {
  const auto found = std::ranges::find(kNpyTypes, descr, &NpyTypeRow::descr);
  if (found != kNpyTypes.end()) return found->type;
  if (descr.find('O') != descr.npos) {
    return npyHeadInvalid(
        "it has Python objects (a pickle), which are never loaded, since they can run "
        "code; write numbers: x.astype('float32')");
  }
  if (descr.starts_with('>'))
    return npyHeadInvalid("its values are big-endian; write x.astype(x.dtype.newbyteorder('<'))");
  return npyHeadInvalid("found values of the type " + shownCell(descr) +
                        ", expected uint8, int32, int64, float32 or float64; write "
                        "x.astype('float32'), classes as y.astype('int64')");
}

/// The bytes of all values; nothing beyond kMaxNpyBytes.
std::optional<std::uint64_t> bytesOf(const NpyHead& head) {
  std::uint64_t bytes = sizeOf(head.type);
  for (const std::uint64_t extent : head.shape) {
    const auto product = checkedMultiply(bytes, extent);
    if (!product || *product > kMaxNpyBytes) return std::nullopt;
    bytes = *product;
  }
  return bytes;
}

const NpyTypeRow& rowOf(NpyType type) {
  const auto* const row = std::ranges::find(kNpyTypes, type, &NpyTypeRow::type);
  SUMAC_CHECK(row != kNpyTypes.end());
  return *row;
}

}  // namespace

std::string_view toString(NpyType type) {
  return rowOf(type).name;
}

std::size_t sizeOf(NpyType type) {
  return rowOf(type).size;
}

Result<NpyDictionary> findNpyDictionary(std::string_view start) {
  constexpr std::size_t kVersionAt = 6;
  constexpr std::size_t kLengthAt = 8;
  constexpr std::size_t kLongStart = 12;
  if (!start.starts_with(kNpyMagic)) {
    return npyHeadInvalid(start.starts_with("\x80")
                              ? "it is a pickle, which is never loaded, since it can run code; "
                                "write the array with np.save"
                              : "it is no .npy file; write it with np.save");
  }
  if (start.size() < kLongStart)
    return npyHeadInvalid("it is cut short; write it again with np.save");
  const int version = static_cast<unsigned char>(start[kVersionAt]);
  if (version < 1 || version > 3) {
    return npyHeadInvalid("its format has the version " + std::to_string(version) +
                          ", expected 1 to 3; write it with np.save");
  }
  const std::byte* const length = asBytes(start).data() + kLengthAt;
  const NpyDictionary found =
      version == 1 ? NpyDictionary{kNpyStart, loadLittleEndian<std::uint16_t>(length)}
                   : NpyDictionary{kLongStart, loadLittleEndian<std::uint32_t>(length)};
  if (found.size > kMaxNpyHead) return notNpy("it has more than 64 KiB");
  return found;
}

Result<NpyHead> parseNpyHead(std::string_view dictionary) {
  NpyHeadReader reader(dictionary);
  if (auto read = reader.read(); !read) return read.error();
  const auto type = typeOfDescr(*reader.descr);
  if (!type) return type.error();
  if (*reader.is_fortran) {
    return npyHeadInvalid(
        "its values are in Fortran order; write np.ascontiguousarray(x), which is in C order");
  }
  NpyHead head{*type, *std::move(reader.shape)};
  if (std::ranges::find(head.shape, 0U) != head.shape.end())
    return npyHeadInvalid("it has no values: an extent of its shape is 0");
  if (!bytesOf(head)) {
    return npyHeadInvalid("it has more than 2 GiB of values; write fewer samples, or values of " +
                          std::string("fewer bytes: x.astype('float32')"));
  }
  return head;
}

}  // namespace sumac::worker
