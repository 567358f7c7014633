#pragma once

#include "job/document/field.h"

namespace sumac::experiment {

/// The Experiment document: the only source of its parsing, its defaults and `sumac explain
/// experiment`. Its fields are apiVersion, kind, metadata, spec.
const job::Field& experimentField();

}  // namespace sumac::experiment
