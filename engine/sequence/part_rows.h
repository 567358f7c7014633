#pragma once

#include <cstddef>

// Rows of one part among those of all parts that are computed together. Row t * samples + s is time
// step t of sample s, where samples are those of all parts: of every time step a part has some rows
// that follow each other.
namespace sumac::worker::sequence {

struct PartRows {
  std::size_t first_sample = 0;  // among those of all parts
  std::size_t samples = 0;
  std::size_t all_samples = 0;
  std::size_t steps = 0;

  std::size_t count() const { return samples * steps; }
  /// Rows of the parts before.
  std::size_t before() const { return first_sample * steps; }
  /// As kernels take them: rows that follow each other, then those of other parts.
  std::size_t run() const { return samples == all_samples ? 0 : samples; }
  std::size_t skip() const { return all_samples - samples; }

  /// Calls work(row) for all of them, one time step after the other.
  template <typename Work>
  void forEach(const Work& work) const {
    for (std::size_t step = 0; step < steps; ++step) {
      for (std::size_t sample = 0; sample < samples; ++sample)
        work(step * all_samples + first_sample + sample);
    }
  }
};

}  // namespace sumac::worker::sequence
