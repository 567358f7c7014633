#pragma once

#include <string>
#include <vector>

#include "engine/checkpoint/program_state.h"

#include "libsumac/sumac.h"

namespace sumac::program {

/// Makes `state` refer to what came from the program. Throws Misuse, and leaves `state` as it was,
/// unless that is a state: pointers, names, types, shapes and text. Where it has the tensors that
/// `state` has already, only their memory is taken: a step copies and checks no names.
void takeState(const sumac_state& given, checkpoint::ProgramState& state);

/// A state as the program sees it. What stateOf() returns refers to the table and the state.
class TensorTable {
 public:
  sumac_state stateOf(const checkpoint::ProgramState& state);

 private:
  std::vector<sumac_tensor> tensors_;
};

}  // namespace sumac::program
