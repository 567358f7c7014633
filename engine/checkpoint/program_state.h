#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/core/bytes.h"
#include "base/core/result.h"
#include "base/core/step.h"
#include "base/core/work_count.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/content.h"
#include "engine/checkpoint/tensor_file.h"

namespace sumac::checkpoint {

/// The most bytes that a program's tensors have, and their number: what a peer or a file can make
/// us take.
inline constexpr std::uint64_t kMostStateBytes = std::uint64_t{1} << 40U;
inline constexpr std::size_t kMostTensors = 65'536;
/// Of its text.
inline constexpr std::size_t kMostStateText = std::size_t{1} << 20U;

struct ProgramTensor {
  TensorView view;
  bool is_model = true;  // else what only the training needs
};

/// Everything that a program needs to resume after a step with the same bits. What it means is the
/// program's affair. A view.
struct ProgramState {
  Step step = 0;
  std::vector<ProgramTensor> tensors;
  std::string text = "{}";                      // JSON; only the program reads it
  std::shared_ptr<const void> owner = nullptr;  // keeps the tensors' memory where it is

  /// Those of the model, or the others.
  std::vector<TensorView> views(bool is_model) const;
};

/// The state as bytes: these, and then the tensors' data, one after the other.
Bytes headOf(const ProgramState& state);
/// The inverse; the bytes may go on with up to `padding` others. Fails with kInvalid for anything
/// else: they are not trusted. What it returns refers to them.
Result<ProgramState> programStateFrom(BytesView bytes, std::size_t padding = 0);

/// Which job and program a checkpoint is of, as it is written. `origin` is as in State.
struct ProgramOrigin {
  std::uint32_t term = 1;
  Origin origin;
};

/// The files of a program's checkpoint, in memory.
Content contentOf(const ProgramState& state, const ProgramOrigin& of);

/// Reads the checkpoint of `step` as restore() does. What it returns owns its memory. Fails with
/// kInvalid where it is no program's.
Result<ProgramState> restoreProgram(const std::filesystem::path& folder, Step step,
                                    WorkCount* work = nullptr, const std::string& plan_hash = {});

}  // namespace sumac::checkpoint
