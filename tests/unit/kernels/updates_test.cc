#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/rng.h"
#include "tests/support/kernel_variants.h"

namespace sumac::updates_test {
namespace {

constexpr std::size_t kSizes[] = {0, 1, 15, 16, 17, 31, 32, 33, 4097, 70001};
constexpr float kInfinity = std::numeric_limits<float>::infinity();

constexpr SumacUpdate kPlain{
    .scale = 1.0F, .limit = kInfinity, .decay = 0.0F, .rate = 0.01F, .momentum = 0.9F};
constexpr SumacUpdate kBounded{
    .scale = 0.3F, .limit = 0.05F, .decay = 0.02F, .rate = 0.01F, .momentum = 0.7F};
constexpr SumacAdam kAdam{.beta1 = 0.9F,
                          .beta2 = 0.999F,
                          .fresh1 = 0.1F,
                          .fresh2 = 0.001F,
                          .root = 0.0447F,
                          .epsilon = 1e-8F};

std::vector<float> values(std::uint64_t stream, std::size_t n) {
  const Rng rng(11, stream);
  std::vector<float> out(n);
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = std::ldexp(rng.uniform(2 * i) - 0.5F, static_cast<int>(rng.below(2 * i + 1, 20)) - 10);
  }
  return out;
}

bool sameBits(const std::vector<float>& a, const std::vector<float>& b) {
  bool same = a.size() == b.size();
  for (std::size_t i = 0; same && i < a.size(); ++i)
    same = std::bit_cast<std::uint32_t>(a[i]) == std::bit_cast<std::uint32_t>(b[i]);
  return same;
}

/// A product that is rounded: volatile keeps the compiler from fusing it with a sum.
float product(float a, float b) {
  volatile float result = a * b;
  return result;
}

float stepGradient(const SumacUpdate& u, float g, float w) {
  float clipped = product(u.scale, g);
  if (clipped < -u.limit) clipped = -u.limit;
  if (clipped > u.limit) clipped = u.limit;
  return clipped + product(u.decay, w);
}

/// Weights and the state of one update.
struct Values {
  std::vector<float> w;
  std::vector<float> first;
  std::vector<float> second;
  std::vector<float> g;

  explicit Values(std::size_t n)
      : w(values(1, n)), first(values(2, n)), second(values(3, n)), g(values(4, n)) {
    for (float& value : second)
      value = std::abs(value);
  }
};

/// Calls a kernel on `in`, writing weights to `out`.
using Call = std::function<void(const Kernels&, const SumacUpdate&, Values& state, float* out,
                                const float* in)>;
/// The same on one value.
using One = std::function<float(const SumacUpdate&, Values& state, std::size_t i)>;

void checkUpdate(const Call& call, const One& one) {
  for (const std::size_t n : kSizes) {
    for (const SumacUpdate& update : {kPlain, kBounded}) {
      Values expected(n);
      for (std::size_t i = 0; i < n; ++i)
        expected.w[i] = one(update, expected, i);
      for (const Kernels& kernels : everyVariant()) {
        Values apart(n);
        std::vector<float> out(n);
        call(kernels, update, apart, out.data(), apart.w.data());
        BOOST_REQUIRE(sameBits(out, expected.w));
        BOOST_REQUIRE(sameBits(apart.first, expected.first));
        BOOST_REQUIRE(sameBits(apart.second, expected.second));
        Values in_place(n);
        call(kernels, update, in_place, in_place.w.data(), in_place.w.data());
        BOOST_REQUIRE(sameBits(in_place.w, expected.w));
      }
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(updates)

BOOST_AUTO_TEST_CASE(sgd_rounds_every_operation_in_every_variant) {
  checkUpdate([](const Kernels& kernels, const SumacUpdate& u, Values& s, float* out,
                 const float* in) { kernels->sgd(&u, out, in, s.g.data(), s.g.size()); },
              [](const SumacUpdate& u, Values& s, std::size_t i) {
                return s.w[i] - product(u.rate, stepGradient(u, s.g[i], s.w[i]));
              });
}

BOOST_AUTO_TEST_CASE(momentum_rounds_every_operation_in_every_variant) {
  checkUpdate(
      [](const Kernels& kernels, const SumacUpdate& u, Values& s, float* out, const float* in) {
        kernels->sgdMomentum(&u, out, in, s.first.data(), s.g.data(), s.g.size());
      },
      [](const SumacUpdate& u, Values& s, std::size_t i) {
        s.first[i] = product(u.momentum, s.first[i]) + stepGradient(u, s.g[i], s.w[i]);
        return s.w[i] - product(u.rate, s.first[i]);
      });
}

BOOST_AUTO_TEST_CASE(nesterov_rounds_every_operation_in_every_variant) {
  checkUpdate(
      [](const Kernels& kernels, const SumacUpdate& u, Values& s, float* out, const float* in) {
        kernels->sgdNesterov(&u, out, in, s.first.data(), s.g.data(), s.g.size());
      },
      [](const SumacUpdate& u, Values& s, std::size_t i) {
        const float gradient = stepGradient(u, s.g[i], s.w[i]);
        s.first[i] = product(u.momentum, s.first[i]) + gradient;
        return s.w[i] - product(u.rate, gradient + product(u.momentum, s.first[i]));
      });
}

BOOST_AUTO_TEST_CASE(adam_rounds_every_operation_in_every_variant) {
  checkUpdate(
      [](const Kernels& kernels, const SumacUpdate& u, Values& s, float* out, const float* in) {
        kernels->adam(&u, &kAdam, out, in, s.first.data(), s.second.data(), s.g.data(), s.g.size());
      },
      [](const SumacUpdate& u, Values& s, std::size_t i) {
        const float gradient = stepGradient(u, s.g[i], s.w[i]);
        s.first[i] = product(kAdam.beta1, s.first[i]) + product(kAdam.fresh1, gradient);
        s.second[i] =
            product(kAdam.beta2, s.second[i]) + product(kAdam.fresh2, product(gradient, gradient));
        const float root = std::sqrt(s.second[i]) / kAdam.root;
        return s.w[i] - product(u.rate, s.first[i] / (root + kAdam.epsilon));
      });
}

BOOST_AUTO_TEST_CASE(clipping_keeps_nan_and_clips_infinities) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> g(33, nan);
  std::vector<float> infinite(33, kInfinity);
  infinite[1] = -kInfinity;
  SumacUpdate update = kPlain;
  update.limit = 2.0F;
  update.rate = 1.0F;
  for (const Kernels& kernels : everyVariant()) {
    std::vector<float> w(33, 1.0F);
    kernels->sgd(&update, w.data(), w.data(), infinite.data(), w.size());
    BOOST_TEST(w[0] == -1.0F);
    BOOST_TEST(w[1] == 3.0F);
    BOOST_TEST(w[32] == -1.0F);
    kernels->sgd(&update, w.data(), w.data(), g.data(), w.size());
    BOOST_TEST(std::isnan(w[0]));
    BOOST_TEST(std::isnan(w[32]));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::updates_test
