#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "base/core/result.h"

namespace sumac::worker {

/// The bytes of one .npy file, by itself or in a .npz archive.
class NpySource {
 public:
  NpySource(std::string name, std::uint64_t size) : name_(std::move(name)), size_(size) {}
  virtual ~NpySource() = default;
  NpySource(const NpySource&) = delete;
  NpySource& operator=(const NpySource&) = delete;

  /// Fills `into` as far as there are bytes; returns how many.
  virtual Result<std::size_t> read(std::span<std::byte> into) = 0;

  /// As messages call it.
  const std::string& name() const { return name_; }
  /// How many bytes it says to have: no more than kMaxNpyBytes and a head.
  std::uint64_t size() const { return size_; }

  Error refused(const std::string& what) const {
    return Error{ErrorCode::kInvalid, "cannot use " + name_ + ": " + what};
  }

 private:
  std::string name_;
  std::uint64_t size_;
};

/// Opens one file. Fails unless it is a regular file of at most kMaxNpyBytes and a head; as
/// errorCodeOf() says where the storage fails.
Result<std::unique_ptr<NpySource>> openNpyFile(const std::filesystem::path& path);

/// The four arrays of a data set.
struct NpySources {
  std::unique_ptr<NpySource> x_train;
  std::unique_ptr<NpySource> y_train;
  std::unique_ptr<NpySource> x_test;
  std::unique_ptr<NpySource> y_test;
};

/// Opens x_train.npy, y_train.npy, x_test.npy and y_test.npy in `folder`, or in the .npz archive
/// there: data.npz, or the only one. Fails with kNotFound, naming what is missing, and with
/// kInvalid when there are both.
Result<NpySources> openNpySources(const std::filesystem::path& folder);

}  // namespace sumac::worker
