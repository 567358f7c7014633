#pragma once

#include <string>

#include "base/report/report.h"

namespace sumac::report {

/// A list of objects, one a row, with the values of the columns that have a key. A key "a.b" is b
/// in an object a. Nulls are left out, texts stand where there is no value.
Value toJson(const Table& table);

/// RFC 4180 with a line of keys; what is null is empty.
std::string toCsv(const Table& table);

}  // namespace sumac::report
