#include "engine/data/npy_source.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/core/descriptor.h"
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

Error npyFailure(const char* attempt, const std::string& path, int number) {
  return {errorCodeOf(std::error_code(number, std::generic_category())),
          std::string("cannot ") + attempt + " " + path + ": " + std::strerror(number)};
}

class NpyFile final : public NpySource {
 public:
  NpyFile(const fs::path& path, std::uint64_t size, Descriptor file)
      : NpySource(path.string(), size), file_(std::move(file)) {}

  Result<std::size_t> read(std::span<std::byte> into) override {
    std::size_t done = 0;
    while (done < into.size()) {
      const ssize_t got = ::read(file_.get(), into.data() + done, into.size() - done);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return npyFailure("read", name(), errno);
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

 private:
  Descriptor file_;
};

struct RegularNpy {
  Descriptor file;
  std::uint64_t size = 0;
};

Result<RegularNpy> openRegularNpy(const fs::path& path) {
  // Without O_NONBLOCK, opening a pipe would wait for somebody to write.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!file && errno == ENOENT)
    return Error{ErrorCode::kNotFound,
                 "cannot find " + path.string() + "; " + std::string(kNpyFiles)};
  if (!file) return npyFailure("open", path.string(), errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return npyFailure("examine", path.string(), errno);
  if (!S_ISREG(status.st_mode))
    return Error{ErrorCode::kInvalid, "cannot read " + path.string() + ": not a regular file"};
  return RegularNpy{std::move(file), static_cast<std::uint64_t>(status.st_size)};
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
  auto opened = openRegularNpy(path);
  if (!opened) return opened.error();
  if (opened->size > kMaxNpyBytes + kMaxNpyHead) {
    return Error{ErrorCode::kInvalid, "cannot use " + path.string() +
                                          ": it has more than 2 GiB; write fewer samples, or "
                                          "x.astype('float32')"};
  }
  return std::unique_ptr<NpySource>(
      std::make_unique<NpyFile>(path, opened->size, std::move(opened->file)));
}

Result<NpySources> openNpySources(const fs::path& folder) {
  const auto archive = chooseArchive(folder);
  if (!archive) return archive.error();
  std::shared_ptr<Npz> npz;
  if (*archive) {
    if (const auto regular = openRegularNpy(**archive); !regular) return regular.error();
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
