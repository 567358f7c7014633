#pragma once

#include <string>
#include <vector>

#include "engine/checkpoint/program_state.h"

#include "libsumac/sumac.h"

namespace sumac::program {

/// Throws Misuse unless a state that came from the program is one: pointers, names, types, shapes
/// and text.
void checkState(const sumac_state& given);

/// Makes `state` refer to what was given. Where it had the same tensors before, only their memory
/// is taken: a step does not copy names. Requires checkState(). `state` stays as it was where this
/// throws Misuse.
void takeState(const sumac_state& given, checkpoint::ProgramState& state);

/// A state as the program sees it. What stateOf() returns refers to the table and the state.
class TensorTable {
 public:
  sumac_state stateOf(const checkpoint::ProgramState& state);

 private:
  std::vector<sumac_tensor> tensors_;
};

}  // namespace sumac::program
