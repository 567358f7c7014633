#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "job/document/job.h"
#include "planner/advice/machine_type.h"

namespace sumac::planner {

/// The outcome of reading a document: its types, or all its problems.
struct MachineReading {
  std::vector<MachineType> types;  // in order of the file; empty where there are problems
  std::vector<job::Problem> problems;
};

/// Reads and checks `text` as MachineTypes; `file` is for the messages. Strict: what is unknown,
/// zero, negative, beyond what machines have, or without source and date is a problem, and so is a
/// date after `today`, "2026-11-23"; empty: any day may be. A pure function of any text.
MachineReading readMachineTypes(std::string_view text, std::string_view file,
                                std::string_view today = {});

/// Today in the zone where it comes first: no date of today lies after it.
std::string latestToday();

/// The type of this name; nullptr where there is none.
const MachineType* findMachineType(const std::vector<MachineType>& types, std::string_view name);

/// All names: "a, b".
std::string machineTypeNames(const std::vector<MachineType>& types);

}  // namespace sumac::planner
