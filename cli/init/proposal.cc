#include "cli/init/proposal.h"

#include <algorithm>

namespace sumac::cli {
namespace {

using worker::PictureSize;

constexpr int kSide = 64;       // of pictures that are scaled
constexpr int kMostSide = 96;   // of pictures that are taken as they are
constexpr int kLeastSide = 12;  // of images that convolutions see
constexpr int kWordsAtOnce = 20;
constexpr std::int64_t kInAPart = 16;  // fewer samples waste a part of every instruction

/// Pictures of one size stay as they are unless they are large.
std::optional<PictureSize> resizeOf(const worker::PictureRange& range) {
  constexpr int kStep = 8;
  const int most = std::max(range.greatest.height, range.greatest.width);
  if (range.least == range.greatest && most <= kMostSide) return std::nullopt;
  const int least = std::min(range.greatest.height, range.greatest.width);
  const int side = std::max(kStep, std::min(kSide, least / kStep * kStep));
  return PictureSize{side, side};
}

void decidePictures(const worker::PictureRange& range, Proposal& proposal) {
  proposal.resize = resizeOf(range);
  proposal.channels = range.has_gray && range.has_color ? 3 : 0;
  const PictureSize size = proposal.resize.value_or(range.greatest);
  proposal.shape = {range.has_color ? 3 : 1, size.height, size.width};
}

NetworkKind networkFor(const model::Shape& shape) {
  if (shape == model::Shape{1, 28, 28}) return NetworkKind::kLenet5;
  const bool is_image = shape.size() == 3 && std::min(shape[1], shape[2]) >= kLeastSide;
  return is_image ? NetworkKind::kConvolutions : NetworkKind::kDense;
}

/// Epochs for `wanted` steps in all, or somewhat more or fewer.
int epochsFor(std::int64_t wanted, std::int64_t steps_per_epoch, int least) {
  constexpr int kMost = 60;
  const std::int64_t steps = std::max<std::int64_t>(steps_per_epoch, 1);
  return static_cast<int>(std::clamp<std::int64_t>((wanted + steps - 1) / steps, least, kMost));
}

/// The greatest of 64, 32 and 16 that makes a dozen steps an epoch, at most all samples.
std::int64_t batchFor(std::int64_t samples) {
  constexpr std::int64_t kSteps = 12;
  std::int64_t batch = 64;
  while (batch > kInAPart && batch * kSteps > samples)
    batch /= 2;
  return std::max<std::int64_t>(std::min(batch, samples), 1);
}

void decideSamples(const Findings& findings, Proposal& proposal) {
  constexpr std::int64_t kEnough = 200;  // of which a tenth says something
  proposal.network = networkFor(proposal.shape);
  proposal.held_back = findings.test == 0 ? 20 : findings.train >= kEnough ? 10 : 0;
  const std::int64_t samples = findings.train - findings.train * proposal.held_back / 100;
  proposal.batch_size = batchFor(samples);
  proposal.parts = static_cast<int>(std::max<std::int64_t>(proposal.batch_size / kInAPart, 1));
  const bool is_slow = proposal.network == NetworkKind::kConvolutions;
  proposal.epochs = epochsFor(600, samples / proposal.batch_size, is_slow ? 10 : 5);
  const bool is_colored = proposal.shape.size() == 3 && proposal.shape[0] == 3;
  if (is_slow && is_colored)
    proposal.crop = static_cast<int>(std::min(proposal.shape[1], proposal.shape[2])) / 8;
}

void decideWords(std::int64_t words, Proposal& proposal) {
  constexpr std::int64_t kStreams = 20;
  constexpr std::int64_t kShortest = 20 * kWordsAtOnce;  // of a stream
  proposal.network = NetworkKind::kWords;
  proposal.shape = {std::clamp<std::int64_t>(words - 1, 1, kWordsAtOnce)};
  proposal.batch_size = std::clamp<std::int64_t>(words / kShortest, 1, kStreams);
  proposal.parts = proposal.batch_size >= 16 ? 4 : proposal.batch_size >= 4 ? 2 : 1;
  const std::int64_t steps = words / proposal.batch_size / proposal.shape[0];
  proposal.epochs = epochsFor(1'000, steps, 5);
}

}  // namespace

Proposal proposalFor(const Findings& findings) {
  Proposal proposal;
  proposal.name = jobNameOf(findings.folder);
  if (findings.areWords()) {
    decideWords(findings.words, proposal);
    return proposal;
  }
  proposal.shape = findings.shape;
  if (findings.pictures) decidePictures(*findings.pictures, proposal);
  decideSamples(findings, proposal);
  return proposal;
}

std::string jobNameOf(const std::string& folder) {
  constexpr std::size_t kMost = 40;
  std::string name;
  for (const char letter : folder) {
    const bool is_large = letter >= 'A' && letter <= 'Z';
    const bool is_plain = (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
    if (is_large) name += static_cast<char>(letter - 'A' + 'a');
    if (is_plain) name += letter;
    if (!is_large && !is_plain && !name.empty() && name.back() != '-') name += '-';
  }
  if (!name.empty() && name.front() >= '0' && name.front() <= '9') name.insert(0, "job-");
  name = name.substr(0, kMost);
  while (name.ends_with('-'))
    name.pop_back();
  return name.empty() ? "my-job" : name;
}

}  // namespace sumac::cli
