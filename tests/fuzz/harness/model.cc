#include <bit>

#include "base/core/check.h"
#include "engine/model_file/model_file.h"
#include "tests/fuzz/harness/harness.h"
#include "tests/fuzz/harness/printed.h"

namespace sumac::fuzz {

/// Written again and read again, a model is the same; of bytes that are not numbers of the file's
/// kind, such as NaN, the bits are.
void model(BytesView input) {
  const auto read = worker::decodeModelFile(input);
  requireReason(read);
  if (!read) return;
  const Bytes file = worker::encodeModelFile(*read, read->network, read->weights, read->statistics);
  const auto again = worker::decodeModelFile(file);
  SUMAC_CHECK(again.has_value(), again ? "" : again.error().message);
  SUMAC_CHECK(worker::encodeModelFile(*again, again->network, again->weights, again->statistics) ==
              file);
}

}  // namespace sumac::fuzz
