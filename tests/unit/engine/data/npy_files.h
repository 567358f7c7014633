#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <zip.h>

namespace sumac::worker {

/// A .npy file of version 1 with this dictionary.
inline std::string npyWith(const std::string& dictionary, const std::string& values) {
  std::string bytes = "\x93NUMPY";
  bytes += {'\1', '\0', static_cast<char>(dictionary.size() & 255U),
            static_cast<char>(dictionary.size() >> 8U)};
  return bytes + dictionary + values;
}

/// The same as np.save writes it: `shape` as "(2, 3)".
inline std::string npyBytes(const std::string& descr, const std::string& shape,
                            const std::string& values) {
  return npyWith("{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n",
                 values);
}

/// The bytes of values in this machine's order, which is little-endian.
template <typename T>
std::string bytesOfValues(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

using ZipEntries = std::vector<std::pair<std::string, std::string>>;

/// Writes a ZIP archive with entries compressed by `method`.
inline void writeZip(const std::filesystem::path& path, const ZipEntries& entries,
                     std::int32_t method = ZIP_CM_DEFLATE) {
  zip_t* const archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  if (archive == nullptr) throw std::runtime_error("libzip does not start");
  for (const auto& [name, content] : entries) {
    zip_source_t* const source = zip_source_buffer(archive, content.data(), content.size(), 0);
    const auto at = zip_file_add(archive, name.c_str(), source, 0);
    if (at < 0 || zip_set_file_compression(archive, static_cast<zip_uint64_t>(at), method, 0) != 0)
      throw std::runtime_error("libzip does not add");
  }
  if (zip_close(archive) != 0) throw std::runtime_error("libzip does not finish");
}

}  // namespace sumac::worker
