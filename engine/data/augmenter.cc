#include "engine/data/augmenter.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/core/check.h"
#include "base/core/rng.h"

namespace sumac::worker {
namespace {

constexpr int kQuarters = 4;            // of a degree
constexpr int kRight = 90 * kQuarters;  // a right angle
constexpr int kFraction = 16;           // bits of fixed-point numbers after the point
constexpr std::int64_t kOne = 1 << kFraction;

/// Sines of 0 to 90 degrees by quarters. The compiler computes them, in IEEE's double: the same
/// table on every machine.
constexpr std::array<std::int32_t, kRight + 1> makeSines() {
  constexpr double kPi = 3.14159265358979323846;
  constexpr int kTerms = 12;
  std::array<std::int32_t, kRight + 1> sines{};
  for (int i = 0; i <= kRight; ++i) {
    const double x = kPi / 2 * i / kRight;
    double term = x;
    double sum = 0;
    for (int n = 1; n <= kTerms; ++n) {
      sum += term;
      term *= -x * x / ((2.0 * n) * (2.0 * n + 1));
    }
    sines[static_cast<std::size_t>(i)] =
        (static_cast<std::int32_t>(sum * (2 * kOne)) + 1) / 2;  // rounded
  }
  return sines;
}
constexpr auto kSines = makeSines();
static_assert(kSines.front() == 0 && kSines[30 * kQuarters] == kOne / 2 && kSines.back() == kOne);

/// Of an angle from -180 to 180 degrees.
std::int64_t sine(int quarters) {
  const int size = std::abs(quarters);
  const int folded = size <= kRight ? size : 2 * kRight - size;
  const std::int64_t value = kSines[static_cast<std::size_t>(folded)];
  return quarters < 0 ? -value : value;
}

std::int64_t cosine(int quarters) {
  return sine(kRight - std::abs(quarters));
}

/// The pixels of one channel.
struct Channel {
  std::span<const std::uint8_t> pixels;
  int rows = 0;
  int columns = 0;

  /// Black outside.
  std::int64_t at(std::int64_t row, std::int64_t column) const {
    if (row < 0 || row >= rows || column < 0 || column >= columns) return 0;
    return pixels[static_cast<std::size_t>(row * columns + column)];
  }

  /// Between four pixels, at a place of fixed-point numbers, of which 8 bits of the fraction count.
  std::uint8_t between(std::int64_t row, std::int64_t column) const {
    constexpr int kBits = 8;
    constexpr std::int64_t kWhole = 1 << kBits;
    const std::int64_t r = row >> kFraction;
    const std::int64_t c = column >> kFraction;
    const std::int64_t down = (row >> (kFraction - kBits)) & (kWhole - 1);
    const std::int64_t right = (column >> (kFraction - kBits)) & (kWhole - 1);
    const std::int64_t above = at(r, c) * (kWhole - right) + at(r, c + 1) * right;
    const std::int64_t below = at(r + 1, c) * (kWhole - right) + at(r + 1, c + 1) * right;
    const std::int64_t sum = above * (kWhole - down) + below * down;
    return static_cast<std::uint8_t>((sum + kWhole * kWhole / 2) >> (2 * kBits));
  }
};

/// The numbers that are drawn for one image.
enum Draw : std::uint8_t { kFlip, kAngle, kDown, kAcross, kDraws };

}  // namespace

Augmenter::Augmenter(const job::AugmentSpec& spec, const model::Shape& shape, std::uint64_t seed)
    : spec_(spec), channels_(0), rows_(0), columns_(0), seed_(seed) {
  SUMAC_CHECK(shape.size() == 3, model::toString(shape));
  channels_ = static_cast<int>(shape[0]);
  rows_ = static_cast<int>(shape[1]);
  columns_ = static_cast<int>(shape[2]);
  SUMAC_CHECK(spec.crop < std::min(rows_, columns_), spec.crop, rows_, columns_);
  if (spec.rotate > 0) turned_.resize(static_cast<std::size_t>(model::count(shape)));
}

void Augmenter::change(Pixels image, std::int64_t epoch, std::int64_t index,
                       std::span<std::uint8_t> changed) {
  const auto size =
      static_cast<std::size_t>(channels_) * static_cast<std::size_t>(rows_ * columns_);
  SUMAC_CHECK(changed.size() == size && image.size() == size, changed.size(), image.size(), size);
  const Rng rng(seed_, kAugmentStream + static_cast<std::uint64_t>(epoch));
  // From -most to most.
  const auto draw = [&](Draw what, int most) {
    const std::uint64_t n = static_cast<std::uint64_t>(index) * kDraws + what;
    return static_cast<int>(rng.below(n, 2 * static_cast<std::uint64_t>(most) + 1)) - most;
  };
  if (spec_.rotate > 0) {
    turn(image, draw(kAngle, spec_.rotate * kQuarters), turned_);
    image = turned_;
  }
  const std::uint64_t flip = static_cast<std::uint64_t>(index) * kDraws + kFlip;
  const bool is_flipped = spec_.flip && rng.below(flip, 2) == 1;
  move(image, is_flipped, draw(kDown, spec_.crop), draw(kAcross, spec_.crop), changed);
}

void Augmenter::turn(Pixels image, int quarters, std::span<std::uint8_t> turned) const {
  const std::int64_t sin = sine(quarters);
  const std::int64_t cos = cosine(quarters);
  const std::size_t size = static_cast<std::size_t>(rows_) * static_cast<std::size_t>(columns_);
  for (std::size_t channel = 0; channel < static_cast<std::size_t>(channels_); ++channel) {
    const Channel from{image.subspan(channel * size, size), rows_, columns_};
    auto to = turned.begin() + static_cast<std::ptrdiff_t>(channel * size);
    for (int row = 0; row < rows_; ++row) {
      for (int column = 0; column < columns_; ++column) {
        // Twice the distance from the centre, which may lie between pixels.
        const std::int64_t down = 2 * row - (rows_ - 1);
        const std::int64_t right = 2 * column - (columns_ - 1);
        const std::int64_t from_row = cos * down + sin * right + (rows_ - 1) * kOne;
        const std::int64_t from_column = cos * right - sin * down + (columns_ - 1) * kOne;
        *to++ = from.between(from_row >> 1, from_column >> 1);
      }
    }
  }
}

void Augmenter::move(Pixels image, bool is_flipped, int down, int right,
                     std::span<std::uint8_t> moved) const {
  const auto columns = static_cast<std::ptrdiff_t>(columns_);
  const int first = std::max(right, 0);  // column that is not black
  const int end = std::min(columns_ + right, columns_);
  auto to = moved.begin();
  for (int channel = 0; channel < channels_; ++channel) {
    for (int row = 0; row < rows_; ++row, to += columns) {
      const int from_row = row - down;
      if (from_row < 0 || from_row >= rows_) {
        std::fill_n(to, columns, std::uint8_t{0});
        continue;
      }
      const auto from =
          image.begin() + (static_cast<std::ptrdiff_t>(channel) * rows_ + from_row) * columns;
      std::fill(to, to + first, std::uint8_t{0});
      std::fill(to + end, to + columns, std::uint8_t{0});
      if (is_flipped) {
        std::reverse_copy(from + (columns_ - (end - right)), from + (columns_ - (first - right)),
                          to + first);
      } else {
        std::copy(from + (first - right), from + (end - right), to + first);
      }
    }
  }
}

}  // namespace sumac::worker
