#include <algorithm>

#include "engine/sequence/layer.h"
#include "engine/sequence/split.h"

namespace sumac::worker::sequence {
namespace {

constexpr std::size_t kWordUnit = 64;  // words of one task at least

// y = the word's row of W. The gradient has values only in the rows of words that occur: the
// gradients of a word's rows are summed in their order, then written or added once.
class Embedding final : public Layer {
 public:
  explicit Embedding(const LayerContext& context)
      : kernels_(context.kernels),
        arena_(context.arena),
        pool_(context.pool),
        width_(context.outputs()),
        words_(static_cast<std::size_t>(context.network.vocabulary())),
        weight_(context.offset(0)),
        y_(context.arena.reserve(context.maxRows() * context.layer.output.back())),
        first_row_(context.arena.reserve(context.network.vocabulary())) {}

  float* forward(const Pass& pass, const float* /*x*/) override {
    float* const y = arena_.at(y_);
    for (std::size_t row = 0; row < pass.rows; ++row) {
      const auto word = static_cast<std::size_t>(pass.tokens[row]);
      std::copy_n(pass.weights + weight_ + word * width_, width_, y + row * width_);
    }
    return y;
  }

  void backward(const Pass& pass, const float* /*x*/, const Gradients& gradients) override {
    const std::size_t most = std::max<std::size_t>(kSharedPiece / width_, 1);
    const std::size_t step = pass.parts.size() == 1 ? words_ : most;
    for (std::size_t first = 0; first < words_; first += step) {
      const Range piece{first, std::min(words_, first + step)};
      for (const PassPart& part : pass.parts) {
        split(pool_, piece.size(), kWordUnit, [&](Range words) {
          backwardWords(pass, part, gradients.dy, {first + words.begin, first + words.end});
        });
        part.announce(weight_ + first * width_, piece.size() * width_);
      }
    }
  }

 private:
  void backwardWords(const Pass& pass, const PassPart& part, float* dy, Range words);

  Kernels kernels_;
  Arena& arena_;       // outlives us
  ComputePool& pool_;  // outlives us
  std::size_t width_;
  std::size_t words_;
  std::size_t weight_;
  Arena::Piece y_;
  Arena::Piece first_row_;  // of each word: its first row + 1; 0 but in the middle of backward()
};

void Embedding::backwardWords(const Pass& pass, const PassPart& part, float* dy, Range words) {
  float* const gradient = part.gradient + weight_;
  std::int32_t* const first_row = arena_.indicesAt(first_row_);
  const auto isOurs = [&](std::size_t word) { return word >= words.begin && word < words.end; };

  part.rows.forEach([&](std::size_t row) {
    const auto word = static_cast<std::size_t>(pass.tokens[row]);
    if (!isOurs(word)) return;
    if (first_row[word] == 0) {
      first_row[word] = static_cast<std::int32_t>(row) + 1;
      return;
    }
    float* const sum = dy + static_cast<std::size_t>(first_row[word] - 1) * width_;
    kernels_->add(sum, sum, dy + row * width_, width_);
  });
  // Adding to zeros instead of copying never leaves a -0, so that the rows which kAdd does not
  // touch are as if zeros had been added.
  if (part.write == Write::kReplace) {
    std::fill_n(gradient + words.begin * width_, words.size() * width_, 0.0F);
  }
  part.rows.forEach([&](std::size_t row) {
    const auto word = static_cast<std::size_t>(pass.tokens[row]);
    if (!isOurs(word) || first_row[word] == 0) return;
    first_row[word] = 0;
    float* const to = gradient + word * width_;
    kernels_->add(to, to, dy + row * width_, width_);
  });
}

}  // namespace

std::unique_ptr<Layer> makeEmbedding(const LayerContext& context) {
  return std::make_unique<Embedding>(context);
}

}  // namespace sumac::worker::sequence
