#include "engine/data/npz.h"

#include <system_error>
#include <utility>

#include <zip.h>
#include <zlib.h>

#include "base/core/file.h"
#include "engine/data/csv.h"
#include "engine/data/npy_head.h"

namespace sumac::worker {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxEntries = 10'000;

/// Whether the machine failed, and not the archive: then it may be whole.
ErrorCode codeOf(zip_error_t& error) {
  const int number = zip_error_code_system(&error);
  switch (zip_error_system_type(&error)) {
    case ZIP_ET_SYS:
      if (number != 0) return errorCodeOf(std::error_code(number, std::generic_category()));
      break;
    case ZIP_ET_ZLIB:
      if (number == Z_MEM_ERROR) return ErrorCode::kUnavailable;
      break;
    default: break;
  }
  return zip_error_code_zip(&error) == ZIP_ER_MEMORY ? ErrorCode::kUnavailable
                                                     : ErrorCode::kInvalid;
}

/// Why `name`, the archive or an entry of it, cannot be read; `damage` where it is no archive.
Error npzFailure(const std::string& name, zip_error_t& error, const std::string& damage) {
  const ErrorCode code = codeOf(error);
  const std::string why = zip_error_strerror(&error);
  if (code == ErrorCode::kInvalid) return {code, damage + ": " + why};
  return {code, "cannot read " + name + ": " + why};
}

Error entryFailure(const std::string& name, zip_error_t& error) {
  return npzFailure(name, error, "cannot use " + name + ": it is damaged");
}

struct CloseEntry {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using ZipEntry = std::unique_ptr<zip_file_t, CloseEntry>;

class NpzSource final : public NpySource {
 public:
  NpzSource(std::string name, std::uint64_t size, std::shared_ptr<Npz> archive, ZipEntry entry)
      : NpySource(std::move(name), size), archive_(std::move(archive)), entry_(std::move(entry)) {}

  Result<std::size_t> read(std::span<std::byte> into) override {
    std::size_t done = 0;
    while (done < into.size()) {
      const zip_int64_t got = zip_fread(entry_.get(), into.data() + done, into.size() - done);
      if (got < 0) return entryFailure(name(), *zip_file_get_error(entry_.get()));
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

 private:
  std::shared_ptr<Npz> archive_;  // closed after its entry
  ZipEntry entry_;
};

/// Why an entry is not inflated; "" if it may be.
std::string problemOfEntry(const zip_stat_t& stat) {
  // Deflate makes at most 258 bytes of 2 bits; streams have a few bytes beside.
  constexpr std::uint64_t kMaxRatio = 1032;
  constexpr std::uint64_t kSlack = 1024;
  if (stat.encryption_method != ZIP_EM_NONE) return "it is encrypted; write it with np.savez";
  if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE)
    return "its compression is neither none nor deflate; write it with np.savez_compressed";
  if (stat.size > kMaxNpyBytes + kMaxNpyHead)
    return "it has more than 2 GiB; write fewer samples, or x.astype('float32')";
  const std::uint64_t most =
      stat.comp_method == ZIP_CM_STORE ? stat.comp_size : kMaxRatio * stat.comp_size + kSlack;
  if (stat.comp_size > kMaxNpyBytes + kMaxNpyHead || stat.size > most) {
    return "it cannot have the " + std::to_string(stat.size) + " bytes that it says, in " +
           std::to_string(stat.comp_size) + " bytes of the archive; write it again with np.savez";
  }
  return "";
}

}  // namespace

void Npz::Close::operator()(zip* archive) const {
  zip_discard(archive);
}

Npz::Npz(fs::path path, std::unique_ptr<zip, Close> archive)
    : path_(std::move(path)), archive_(std::move(archive)) {}

Error Npz::refused(const std::string& what) const {
  return Error{ErrorCode::kInvalid, "cannot use " + path_.string() + ": " + what};
}

Result<std::shared_ptr<Npz>> Npz::open(const fs::path& path) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* const file = zip_source_file_create(path.c_str(), 0, -1, &error);
  std::unique_ptr<zip, Close> archive(
      file == nullptr ? nullptr : zip_open_from_source(file, ZIP_RDONLY, &error));
  if (!archive) {
    if (file != nullptr) zip_source_free(file);
    Error failure =
        npzFailure(path.string(), error, "cannot read " + path.string() + " as a ZIP archive");
    zip_error_fini(&error);
    if (failure.code == ErrorCode::kInvalid) failure.message += "; write it with np.savez";
    return failure;
  }
  std::shared_ptr<Npz> npz(new Npz(path, std::move(archive)));
  if (auto indexed = npz->index(); !indexed) return indexed.error();
  return npz;
}

Result<void> Npz::index() {
  const auto count = static_cast<std::uint64_t>(zip_get_num_entries(archive_.get(), 0));
  if (count > kMaxEntries) return refused("it has more than 10,000 entries");
  for (std::uint64_t i = 0; i < count; ++i) {
    const char* const name = zip_get_name(archive_.get(), i, ZIP_FL_ENC_RAW);
    if (name == nullptr) return refused("an entry has no name");
    if (!entries_.emplace(name, i).second)
      return refused("it has two entries called " + shownCell(name) + "; write it with np.savez");
  }
  return {};
}

Result<std::unique_ptr<NpySource>> Npz::entry(const std::string& name) {
  const auto found = entries_.find(name);
  if (found == entries_.end()) {
    return Error{ErrorCode::kNotFound,
                 "there is no " + name + " in " + path_.string() +
                     "; write np.savez('data.npz', x_train=..., y_train=..., x_test=..., "
                     "y_test=...)"};
  }
  const std::string place = path_.string() + "/" + name;
  zip_stat_t stat;
  zip_stat_init(&stat);
  constexpr std::uint64_t kNeeded =
      ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
  if (zip_stat_index(archive_.get(), found->second, 0, &stat) != 0 ||
      (stat.valid & kNeeded) != kNeeded)
    return entryFailure(place, *zip_get_error(archive_.get()));
  if (const std::string problem = problemOfEntry(stat); !problem.empty())
    return refused(name + ": " + problem);
  ZipEntry entry(zip_fopen_index(archive_.get(), found->second, 0));
  if (!entry) return entryFailure(place, *zip_get_error(archive_.get()));
  return std::unique_ptr<NpySource>(
      std::make_unique<NpzSource>(place, stat.size, shared_from_this(), std::move(entry)));
}

}  // namespace sumac::worker
