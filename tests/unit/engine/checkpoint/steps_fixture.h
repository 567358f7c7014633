#pragma once

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/file.h"
#include "engine/checkpoint/checkpoint.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/engine/checkpoint/two_tensors.h"

namespace sumac::checkpoint {

inline constexpr int kKeepAll = 100;

inline State stateOf(Step step) {
  State state;
  state.step = step;
  state.weights = countingFrom(static_cast<float>(step));
  state.optimizer["m"] = countingFrom(0.5F);
  state.optimizer["v"] = countingFrom(100);
  state.recurrent = {1.5F, -0.0F, 3.0F};
  state.statistics = {0.25F};
  state.plan_hash = "plan";
  state.numerics = "avx2";
  return state;
}

/// Of another job: its hash differs, and so do its weights.
inline State strangersOf(Step step) {
  State state = stateOf(step);
  state.plan_hash = "another";
  state.weights[0] = -7;
  return state;
}

inline void require(const Result<std::filesystem::path>& written) {
  const std::string why = written ? "" : written.error().message;
  BOOST_REQUIRE_MESSAGE(written.has_value(), why);
}

inline void writeSteps(const TemporaryFolder& folder, std::initializer_list<Step> steps, int keep) {
  for (const Step step : steps)
    require(write(folder.path(), twoTensors(), stateOf(step), {.keep = keep}));
}

inline std::optional<Step> newestOf(const TemporaryFolder& folder) {
  std::vector<std::string> warnings;
  const auto step = newest(folder.path(), warnings);
  BOOST_REQUIRE(step.has_value());
  return *step;
}

inline void flipLastBit(const std::filesystem::path& file) {
  auto content = *readFile(file, 1 << 20);
  content.back() ^= std::byte{1};
  BOOST_REQUIRE(replaceFile(file, content));
}

}  // namespace sumac::checkpoint
