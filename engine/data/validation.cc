#include "engine/data/validation.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/core/check.h"
#include "base/core/rng.h"
#include "job/document/data_limits.h"

namespace sumac::worker {
namespace {

/// Which of `samples` samples are selected: the first `selected` of a permutation.
std::vector<bool> select(std::int64_t samples, std::int64_t selected, std::uint64_t seed) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(samples));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  const Rng rng(seed, kValidationStream);
  std::vector<bool> is_selected(order.size());
  for (std::size_t i = 0; i < static_cast<std::size_t>(selected); ++i) {
    std::swap(order[i], order[i + rng.below(i, order.size() - i)]);
    is_selected[static_cast<std::size_t>(order[i])] = true;
  }
  return is_selected;
}

/// Moves the values of the selected samples, `size` of each, to `to`; the others close up.
template <typename T>
void move(std::vector<T>& from, std::vector<T>& to, const std::vector<bool>& is_selected,
          std::size_t size) {
  if (from.empty()) return;
  auto kept = from.begin();
  for (std::size_t i = 0; i < is_selected.size(); ++i) {
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(i * size);
    const auto end = begin + static_cast<std::ptrdiff_t>(size);
    if (is_selected[i]) {
      to.insert(to.end(), begin, end);
    } else {
      kept = std::copy(begin, end, kept);
    }
  }
  from.erase(kept, from.end());
}

/// Of a packed file nothing moves but places in it.
void split(PackedSamples& from, PackedSamples& to, const std::vector<bool>& is_selected) {
  std::vector<std::uint32_t> places(is_selected.size());
  std::iota(places.begin(), places.end(), static_cast<std::uint32_t>(from.first));
  from.range.reset();
  to = from;
  move(places, to.places, is_selected, 1);
  from.places = std::move(places);
  from.places.shrink_to_fit();
}

}  // namespace

void splitValidation(Images& images, double share, std::uint64_t seed) {
  const std::int64_t selected = job::validationSamples(images.train.count(), share);
  if (selected == 0) return;
  SUMAC_CHECK(selected < images.train.count(), selected, images.train.count());
  const auto is_selected = select(images.train.count(), selected, seed);
  const auto size = static_cast<std::size_t>(model::count(images.train.shape));
  images.validation = {.shape = images.train.shape};
  move(images.train.pixels, images.validation.pixels, is_selected, size);
  move(images.train.values, images.validation.values, is_selected, size);
  if (images.train.packed.file) split(images.train.packed, images.validation.packed, is_selected);
  move(images.train.labels, images.validation.labels, is_selected, 1);
}

}  // namespace sumac::worker
