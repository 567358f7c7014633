#include "engine/data/gzip.h"

#include <algorithm>
#include <limits>
#include <new>

#include <zlib.h>

#include "base/core/check.h"

namespace sumac::worker {

Bytes gzip(BytesView bytes) {
  z_stream stream{};
  constexpr int kGzipOnly = 16 + MAX_WBITS;
  constexpr int kMemoryLevel = 8;  // zlib's default
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipOnly, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  Bytes out(deflateBound(&stream, bytes.size()));
  SUMAC_CHECK(std::max(bytes.size(), out.size()) <= std::numeric_limits<uInt>::max(), bytes.size());
  // zlib's interface lacks const; it does not write there.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  SUMAC_CHECK(status == Z_STREAM_END, status);
  return out;
}

}  // namespace sumac::worker
