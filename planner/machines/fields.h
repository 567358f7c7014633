#pragma once

#include "job/document/field.h"

namespace sumac::planner {

/// The MachineTypes document: the only source of its parsing and of `sumac explain machines`. Its
/// fields are apiVersion, kind, metadata, spec.
const job::Field& machineTypesField();

}  // namespace sumac::planner
