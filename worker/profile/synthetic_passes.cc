#include "worker/profile/synthetic_passes.h"

#include "job/model/initializer.h"

namespace sumac::worker {
namespace {

std::size_t sizeOf(std::int64_t count) {
  return static_cast<std::size_t>(count);
}

/// Numbers in [0, 1), the same in every run.
class Draw {
 public:
  double next() {
    constexpr std::uint64_t kMultiplier = 6364136223846793005ULL;  // Knuth's, for 64 bits
    constexpr std::uint64_t kIncrement = 1442695040888963407ULL;
    constexpr int kShift = 11;  // the upper 53 bits
    state_ = state_ * kMultiplier + kIncrement;
    return static_cast<double>(state_ >> kShift) * 0x1.0p-53;
  }
  std::int32_t below(std::int64_t limit) {
    return static_cast<std::int32_t>(next() * static_cast<double>(limit));
  }

 private:
  std::uint64_t state_ = 1;
};

SyntheticPart makePart(const model::Network& network, std::int64_t first_sample, std::int64_t count,
                       Draw& draw) {
  SyntheticPart data;
  data.first_sample = first_sample;
  data.count = count;
  const std::size_t values = sizeOf(count * model::count(network.input));
  if (network.isText()) {
    data.tokens.resize(values);
    std::ranges::generate(data.tokens, [&] { return draw.below(network.vocabulary()); });
    data.labels.resize(values);
  } else {
    data.inputs.assign(values, 0.0F);
    std::ranges::generate(data.inputs, [&] { return static_cast<float>(draw.next()); });
    data.labels.resize(sizeOf(count));
  }
  std::ranges::generate(data.labels, [&] { return draw.below(network.classes); });
  data.recurrent.assign(sizeOf(count * network.recurrent), 0.0F);
  data.next_recurrent = data.recurrent;
  data.statistics.assign(sizeOf(network.statistics), 1.0F);
  data.next_statistics.assign(data.statistics.size(), 0.0F);
  return data;
}

}  // namespace

SyntheticPasses::SyntheticPasses(const model::Network& network, Engine& engine, const Share& share)
    : engine_(engine),
      scale_(1.0F / static_cast<float>(share.samples)),
      weights_(sizeOf(network.parameters)),
      gradient_(sizeOf(network.parameters)) {
  model::initialize(network, {}, /*seed=*/1, weights_.values());
  Draw draw;
  for (int part = 0; part < share.parts; ++part) {
    const std::int64_t begin = share.samples * part / share.parts;
    const std::int64_t end = share.samples * (part + 1) / share.parts;
    data_.push_back(makePart(network, begin, end - begin, draw));
  }
  for (std::size_t i = 0; i < data_.size(); ++i)
    parts_.push_back(gradientOf(data_[i], i == 0 ? Write::kReplace : Write::kAdd));
}

std::uint64_t SyntheticPasses::bytes() const {
  std::uint64_t values = weights_.values().size() + gradient_.values().size();
  for (const SyntheticPart& part : data_) {
    values += part.inputs.size() + part.tokens.size() + part.labels.size();
    values += part.recurrent.size() + part.next_recurrent.size();
    values += part.statistics.size() + part.next_statistics.size();
  }
  return values * sizeof(float);
}

PartGradient SyntheticPasses::gradientOf(SyntheticPart& data, Write write) {
  return {.part = {.batch = {.count = data.count,
                             .inputs = data.inputs,
                             .tokens = data.tokens,
                             .labels = data.labels},
                   .state = {.recurrent = data.recurrent, .statistics = data.statistics},
                   .step = 1,
                   .first_sample = data.first_sample},
          .target = {.values = gradient_.values(), .write = write},
          .next = {.recurrent = data.next_recurrent, .statistics = data.next_statistics}};
}

}  // namespace sumac::worker
