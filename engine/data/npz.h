#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "base/core/result.h"
#include "engine/data/npy_source.h"

struct zip;

namespace sumac::worker {

/// A .npz archive: a ZIP file of .npy files, stored or deflated, as np.savez writes it.
class Npz : public std::enable_shared_from_this<Npz> {
 public:
  /// Fails with kInvalid for what is no such archive, or has two entries of one name, and as
  /// errorCodeOf() says where the storage fails.
  static Result<std::shared_ptr<Npz>> open(const std::filesystem::path& path);

  /// Opens an entry. Fails with kNotFound; with kInvalid, before anything is inflated, when it says
  /// to have more bytes than an array may have, or more than its compressed bytes can become.
  Result<std::unique_ptr<NpySource>> entry(const std::string& name);

 private:
  struct Close {
    void operator()(zip* archive) const;
  };

  Npz(std::filesystem::path path, std::unique_ptr<zip, Close> archive);
  Result<void> index();
  Error refused(const std::string& what) const;

  std::filesystem::path path_;
  std::unique_ptr<zip, Close> archive_;
  std::map<std::string, std::uint64_t, std::less<>> entries_;  // by name
};

}  // namespace sumac::worker
