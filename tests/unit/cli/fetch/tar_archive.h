#pragma once

#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>

#include <zlib.h>

namespace sumac::cli {

/// An entry of a POSIX ustar archive, with its padding.
inline std::string tarEntry(const std::string& path, const std::string& content, char type = '0') {
  std::string header(512, '\0');
  header.replace(0, path.size(), path);
  char size[16];
  std::snprintf(size, sizeof size, "%011zo", content.size());
  header.replace(124, 11, size);
  header[156] = type;
  header.replace(257, 5, "ustar");
  return header + content + std::string((512 - content.size() % 512) % 512, '\0');
}

/// Writes a .gz file of `content`.
inline void writeGzip(const std::filesystem::path& path, const std::string& content) {
  const gzFile file = ::gzopen(path.c_str(), "wb");
  const int written = ::gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
  if (::gzclose(file) != Z_OK || written != static_cast<int>(content.size())) {
    throw std::runtime_error("cannot write " + path.string());
  }
}

}  // namespace sumac::cli
