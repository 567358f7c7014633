#include <algorithm>

#include "kernels/functions.h"
#include "kernels/lanes.h"
#include "kernels/vector_math.h"

namespace sumac::kernels {
namespace {

using lanes::originOf;
using lanes::planeOf;
using lanes::rowOf;

// The pixels of one window: [begin, end) inside the image, and how many the window has when the
// image's padding counts.
struct Window {
  std::size_t begin;
  std::size_t end;
  std::size_t first;  // of the window's places that lies inside
  std::size_t whole;

  Window(const SumacLanesPool& pool, std::size_t kernel, std::size_t output, std::size_t extent) {
    const std::size_t start = output * pool.stride;  // in the padded image
    begin = start > pool.padding ? start - pool.padding : 0;
    end = start + kernel > pool.padding ? std::min(start + kernel - pool.padding, extent) : 0;
    if (end < begin) end = begin;
    first = begin + pool.padding - start;
    whole = std::min(start + kernel, extent + 2 * pool.padding) - start;
  }
};

struct Pixel {
  std::size_t channel;
  std::size_t row;
  std::size_t column;
};

// Calls work(pixel of y, its window's rows, its columns) for all pixels of some channels.
template <typename Work>
void forEach(const SumacLanesPool& pool, const SumacChannels& channels, const Work& work) {
  for (std::size_t c = channels.first; c < channels.first + channels.count; ++c) {
    for (std::size_t row = 0; row < pool.y.rows; ++row) {
      const Window rows(pool, pool.kernel_rows, row, pool.x.rows);
      for (std::size_t column = 0; column < pool.y.columns; ++column) {
        const Window columns(pool, pool.kernel_columns, column, pool.x.columns);
        work(Pixel{c, row, column}, rows, columns);
      }
    }
  }
}

// Of an image without border.
std::size_t plainAt(const SumacImage& image, const Pixel& p) {
  return ((p.channel * image.rows + p.row) * image.columns + p.column) * kLanes;
}
std::size_t borderedAt(const SumacImage& image, const Pixel& p) {
  return originOf(image) + p.channel * planeOf(image) + p.row * rowOf(image) + p.column * kLanes;
}

void clear(const SumacLanesPool& pool, const SumacChannels& channels, float* dx) {
  const std::size_t plane = pool.x.rows * pool.x.columns * kLanes;
  std::fill_n(dx + channels.first * plane, channels.count * plane, 0.0F);
}

}  // namespace

// The first of equal values wins; NaN counts as the greatest, so that a training that diverged
// stays visible.
void lanesMaxPool(const SumacLanesPool* pool, const SumacChannels* channels, float* y,
                  std::uint8_t* argmax, const float* x) {
  const SumacLanesPool& s = *pool;
  forEach(s, *channels, [&](const Pixel& pixel, const Window& rows, const Window& columns) {
    const float* line = x + borderedAt(s.x, {pixel.channel, rows.begin, columns.begin});
    auto place = static_cast<std::int32_t>(rows.first * s.kernel_columns + columns.first);
    Vec best = load(line);
    IntVec where = place - IntVec{};
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
      const float* from = line;
      std::int32_t here = place;
      for (std::size_t column = columns.begin; column < columns.end; ++column) {
        const Vec value = load(from);
        const IntVec takes = (value > best) | (value != value);
        best = takes ? value : best;
        where = takes ? here - IntVec{} : where;
        from += kLanes;
        ++here;
      }
      line += rowOf(s.x);
      place += static_cast<std::int32_t>(s.kernel_columns);
    }
    store(y + borderedAt(s.y, pixel), best);
    lanes::storeBytes(argmax + plainAt(s.y, pixel), __builtin_convertvector(where, lanes::Bytes));
  });
}

void lanesMaxPoolBackward(const SumacLanesPool* pool, const SumacChannels* channels, float* dx,
                          const float* dy, const std::uint8_t* argmax) {
  const SumacLanesPool& s = *pool;
  clear(s, *channels, dx);
  forEach(s, *channels, [&](const Pixel& pixel, const Window& rows, const Window& columns) {
    const Vec gradient = load(dy + plainAt(s.y, pixel));
    const IntVec where =
        __builtin_convertvector(lanes::loadBytes(argmax + plainAt(s.y, pixel)), IntVec);
    auto place = static_cast<std::int32_t>(rows.first * s.kernel_columns + columns.first);
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
      float* to = dx + plainAt(s.x, {pixel.channel, row, columns.begin});
      std::int32_t here = place;
      for (std::size_t column = columns.begin; column < columns.end; ++column) {
        store(to, load(to) + (where == here ? gradient : Vec{}));
        to += kLanes;
        ++here;
      }
      place += static_cast<std::int32_t>(s.kernel_columns);
    }
  });
}

void lanesAveragePool(const SumacLanesPool* pool, const SumacChannels* channels, float* y,
                      const float* x) {
  const SumacLanesPool& s = *pool;
  forEach(s, *channels, [&](const Pixel& pixel, const Window& rows, const Window& columns) {
    Vec sum{};
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
      const float* const line = x + borderedAt(s.x, {pixel.channel, row, columns.begin});
      for (std::size_t i = 0; i < columns.end - columns.begin; ++i)
        sum += load(line + i * kLanes);
    }
    store(y + borderedAt(s.y, pixel), sum / static_cast<float>(rows.whole * columns.whole));
  });
}

void lanesAveragePoolBackward(const SumacLanesPool* pool, const SumacChannels* channels, float* dx,
                              const float* dy) {
  const SumacLanesPool& s = *pool;
  clear(s, *channels, dx);
  forEach(s, *channels, [&](const Pixel& pixel, const Window& rows, const Window& columns) {
    const Vec share =
        load(dy + plainAt(s.y, pixel)) / static_cast<float>(rows.whole * columns.whole);
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
      float* const line = dx + plainAt(s.x, {pixel.channel, row, columns.begin});
      for (std::size_t i = 0; i < columns.end - columns.begin; ++i)
        store(line + i * kLanes, load(line + i * kLanes) + share);
    }
  });
}

}  // namespace sumac::kernels
