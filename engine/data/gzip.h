#pragma once

#include "base/core/bytes.h"

namespace sumac::worker {

/// Compresses `bytes` to a gzip file without name and time: the same input gives the same file.
Bytes gzip(BytesView bytes);

}  // namespace sumac::worker
