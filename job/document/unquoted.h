#pragma once

#include <string>

#include "base/yaml/node.h"
#include "job/document/field.h"

namespace sumac::job {

/// Makes strings of plain numbers, by their text, where a field wants a decimal: who writes
/// `learningRate: 0.05` in a file means "0.05". `table` describes the document. Returns the path of
/// the first, or nothing.
///
/// Only for documents that a user wrote as text: a number that came through JSON may have been
/// rounded, and the API server takes none.
std::string quoteDecimals(const Field& table, yaml::Node& root);

}  // namespace sumac::job
