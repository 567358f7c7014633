#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "job/progress/job_event.h"
#include "job/progress/progress.h"

namespace sumac::tensorboard {

/// One value of a curve in TensorBoard. The part of a tag before its slash groups curves there.
struct Scalar {
  std::string_view tag;  // a literal
  double value = 0;      // finite
};

/// What an event shows in TensorBoard. A value type that does not allocate.
class Scalars {
 public:
  /// The means since the last line: of losses, and of speeds inside steps.
  static Scalars of(const Progress& progress);
  static Scalars of(const Evaluated& evaluation);

  std::span<const Scalar> all() const { return std::span(scalars_).first(count_); }

 private:
  static constexpr std::size_t kMost = 6;

  /// A value that is not known, or not finite, is left out.
  void add(std::string_view tag, std::optional<double> value);

  std::array<Scalar, kMost> scalars_{};
  std::size_t count_ = 0;
};

}  // namespace sumac::tensorboard
