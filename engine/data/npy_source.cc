#include "engine/data/npy_source.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <utility>
#include <vector>

#include "base/core/file.h"
#include "engine/data/npy_head.h"
#include "engine/data/npz.h"

namespace sumac::worker {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 4> kArrays{"x_train.npy", "y_train.npy", "x_test.npy",
                                             "y_test.npy"};
constexpr std::string_view kNpyFiles =
    "arrays are in x_train.npy, y_train.npy, x_test.npy and y_test.npy, or in one data.npz";

class NpyFile final : public NpySource {
 public:
  NpyFile(const fs::path& path, std::uint64_t size, std::ifstream file)
      : NpySource(path.string(), size), file_(std::move(file)) {}

  Result<std::size_t> read(std::span<std::byte> into) override {
    file_.read(reinterpret_cast<char*>(into.data()), static_cast<std::streamsize>(into.size()));
    if (file_.bad())
      return Error{ErrorCode::kUnavailable, "cannot read " + name() + ": the storage failed"};
    return static_cast<std::size_t>(file_.gcount());
  }

 private:
  std::ifstream file_;
};

/// Checked before anything is opened: opening a pipe would wait for somebody to write.
Result<std::uint64_t> sizeOfRegular(const fs::path& path) {
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (status.type() == fs::file_type::not_found)
    return Error{ErrorCode::kNotFound,
                 "cannot find " + path.string() + "; " + std::string(kNpyFiles)};
  if (!fs::is_regular_file(status))
    return Error{ErrorCode::kInvalid, "cannot read " + path.string() + ": not a regular file"};
  const std::uint64_t size = fs::file_size(path, failure);
  if (!failure) return size;
  return Error{errorCodeOf(failure), "cannot examine " + path.string() + ": " + failure.message()};
}

struct Found {
  bool has_arrays = false;
  std::vector<fs::path> archives;
};

Result<Found> listNpy(const fs::path& folder) {
  Found found;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const fs::path& path = entry->path();
    if (path.extension() == ".npz") found.archives.push_back(path);
    for (const char* name : kArrays)
      found.has_arrays = found.has_arrays || path.filename() == name;
  }
  if (!failure) return found;
  return Error{errorCodeOf(failure), "cannot list " + folder.string() + ": " + failure.message()};
}

/// The archive to read; nothing if the arrays are files.
Result<std::optional<fs::path>> chooseArchive(const fs::path& folder) {
  auto found = listNpy(folder);
  if (!found) return found.error();
  std::vector<fs::path>& archives = found->archives;
  if (archives.empty()) return std::optional<fs::path>();
  std::ranges::sort(archives);
  if (found->has_arrays) {
    return Error{ErrorCode::kInvalid, "found " + archives.front().string() +
                                          " beside .npy files; keep those that are meant"};
  }
  if (archives.size() == 1) return std::optional(archives.front());
  const fs::path usual = folder / "data.npz";
  if (std::ranges::find(archives, usual) != archives.end()) return std::optional(usual);
  return Error{ErrorCode::kInvalid, "found " + archives[0].string() + " and " +
                                        archives[1].filename().string() +
                                        "; call the one that is meant data.npz"};
}

}  // namespace

Result<std::unique_ptr<NpySource>> openNpyFile(const fs::path& path) {
  const auto size = sizeOfRegular(path);
  if (!size) return size.error();
  if (*size > kMaxNpyBytes + kMaxNpyHead) {
    return Error{ErrorCode::kInvalid, "cannot use " + path.string() +
                                          ": it has more than 2 GiB; write fewer samples, or "
                                          "x.astype('float32')"};
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{ErrorCode::kDenied, "cannot open " + path.string()};
  return std::unique_ptr<NpySource>(std::make_unique<NpyFile>(path, *size, std::move(file)));
}

Result<NpySources> openNpySources(const fs::path& folder) {
  const auto archive = chooseArchive(folder);
  if (!archive) return archive.error();
  std::shared_ptr<Npz> npz;
  if (*archive) {
    if (const auto size = sizeOfRegular(**archive); !size) return size.error();
    auto opened = Npz::open(**archive);
    if (!opened) return opened.error();
    npz = *std::move(opened);
  }
  std::array<std::unique_ptr<NpySource>, kArrays.size()> sources;
  for (std::size_t i = 0; i < kArrays.size(); ++i) {
    auto source = npz ? npz->entry(kArrays[i]) : openNpyFile(folder / kArrays[i]);
    if (!source) return source.error();
    sources[i] = *std::move(source);
  }
  return NpySources{std::move(sources[0]), std::move(sources[1]), std::move(sources[2]),
                    std::move(sources[3])};
}

}  // namespace sumac::worker
