#include <algorithm>

#include "worker/nn/rows/layer.h"
#include "worker/nn/rows/split.h"

namespace sumac::worker::rows {
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
    split(pool_, words_, kWordUnit, [&](Range words) { backwardWords(pass, gradients, words); });
    gradients.announce(weight_, words_ * width_);
  }

 private:
  void backwardWords(const Pass& pass, const Gradients& gradients, Range words);

  Kernels kernels_;
  Arena& arena_;       // outlives us
  ComputePool& pool_;  // outlives us
  std::size_t width_;
  std::size_t words_;
  std::size_t weight_;
  Arena::Piece y_;
  Arena::Piece first_row_;  // of each word: its first row + 1; 0 but in the middle of backward()
};

void Embedding::backwardWords(const Pass& pass, const Gradients& gradients, Range words) {
  float* const gradient = gradients.weights + weight_;
  std::int32_t* const first_row = arena_.indicesAt(first_row_);
  const auto isOurs = [&](std::size_t word) { return word >= words.begin && word < words.end; };

  for (std::size_t row = 0; row < pass.rows; ++row) {
    const auto word = static_cast<std::size_t>(pass.tokens[row]);
    if (!isOurs(word)) continue;
    if (first_row[word] == 0) {
      first_row[word] = static_cast<std::int32_t>(row) + 1;
      continue;
    }
    float* const sum = gradients.dy + static_cast<std::size_t>(first_row[word] - 1) * width_;
    kernels_->add(sum, sum, gradients.dy + row * width_, width_);
  }
  // Adding to zeros instead of copying never leaves a -0, so that the rows which kAdd does not
  // touch are as if zeros had been added.
  if (gradients.write == Write::kReplace) {
    std::fill_n(gradient + words.begin * width_, words.size() * width_, 0.0F);
  }
  for (std::size_t row = 0; row < pass.rows; ++row) {
    const auto word = static_cast<std::size_t>(pass.tokens[row]);
    if (!isOurs(word) || first_row[word] == 0) continue;
    first_row[word] = 0;
    float* const to = gradient + word * width_;
    kernels_->add(to, to, gradients.dy + row * width_, width_);
  }
}

}  // namespace

std::unique_ptr<Layer> makeEmbedding(const LayerContext& context) {
  return std::make_unique<Embedding>(context);
}

}  // namespace sumac::worker::rows
