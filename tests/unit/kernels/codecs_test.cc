#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/rng.h"
#include "tests/support/kernel_variants.h"
#include "tests/support/plain_codecs.h"

namespace sumac::codecs_test {
namespace {

constexpr Codec kLossy[] = {Codec::kBf16, Codec::kFp16};

using Half = std::vector<std::uint16_t>;

Half written(const Kernels& kernels, Codec codec, const std::vector<float>& x) {
  Half out(x.size());
  auto* const bytes = reinterpret_cast<unsigned char*>(out.data());
  (codec == Codec::kBf16 ? kernels->toBf16 : kernels->toFp16)(bytes, x.data(), x.size());
  return out;
}

std::vector<float> read(const Kernels& kernels, Codec codec, const Half& x) {
  std::vector<float> out(x.size());
  const auto* const bytes = reinterpret_cast<const unsigned char*>(x.data());
  (codec == Codec::kBf16 ? kernels->fromBf16 : kernels->fromFp16)(out.data(), bytes, x.size());
  return out;
}

float valueOf(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}

std::uint32_t bitsOf(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

/// Every value of 16 bits, those next to it and halfway to the next: all that rounding may decide.
std::vector<float> edges(Codec codec) {
  std::vector<float> all;
  for (std::uint32_t half = 0; half < 0x10000; ++half) {
    const std::uint32_t bits = bitsOf(plainValue(codec, static_cast<std::uint16_t>(half)));
    const std::uint32_t next =
        bitsOf(plainValue(codec, static_cast<std::uint16_t>(half == 0xFFFF ? half : half + 1)));
    const std::uint32_t middle = bits + (next - bits) / 2;
    for (const std::uint32_t at : {bits, bits - 1, bits + 1, middle, middle - 1, middle + 1})
      all.push_back(valueOf(at));
  }
  return all;
}

/// Any 32 bits, in ascending order of the values of each sign.
std::vector<float> anything(std::size_t n) {
  const Rng rng(5, 1);
  std::vector<float> all(n);
  for (std::size_t i = 0; i < n; ++i)
    all[i] = valueOf(static_cast<std::uint32_t>(rng.below(i, std::uint64_t{1} << 32U)));
  return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(codecs)

BOOST_AUTO_TEST_CASE(every_variant_rounds_by_definition) {
  for (const Codec codec : kLossy) {
    for (const std::vector<float>& x : {edges(codec), anything(200'003)}) {
      Half expected(x.size());
      for (std::size_t i = 0; i < x.size(); ++i)
        expected[i] = plainHalf(codec, x[i]);
      for (const Kernels& kernels : everyVariant()) {
        const Half found = written(kernels, codec, x);
        for (std::size_t i = 0; i < x.size(); ++i) {
          if (found[i] != expected[i])
            BOOST_FAIL(codec << " of " << bitsOf(x[i]) << " by " << kernels->name);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(every_variant_reads_each_value_exactly) {
  Half all(0x10000);
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = static_cast<std::uint16_t>(i);
  for (const Codec codec : kLossy) {
    for (const Kernels& kernels : everyVariant()) {
      const std::vector<float> values = read(kernels, codec, all);
      for (const std::uint16_t half : all) {
        if (bitsOf(values[half]) != bitsOf(plainValue(codec, half)))
          BOOST_FAIL(codec << ' ' << half << " by " << kernels->name);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(what_was_rounded_stays_as_it_is) {
  for (const Codec codec : kLossy) {
    for (const Kernels& kernels : everyVariant()) {
      const Half once = written(kernels, codec, anything(100'000));
      BOOST_TEST((written(kernels, codec, read(kernels, codec, once)) == once));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_normal_value_loses_half_a_last_place_at_most) {
  for (const Codec codec : kLossy) {
    const double bound = std::ldexp(1.0, codec == Codec::kBf16 ? -8 : -11);
    const double least = std::ldexp(1.0, codec == Codec::kBf16 ? -126 : -14);
    const Kernels kernels = everyVariant().back();
    const std::vector<float> x = anything(500'000);
    const std::vector<float> y = read(kernels, codec, written(kernels, codec, x));
    const double most = codec == Codec::kBf16 ? std::ldexp(255.0, 120) : 65504.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double magnitude = std::fabs(double{x[i]});
      if (!(magnitude >= least && magnitude <= most)) continue;
      if (std::fabs(double{y[i]} - double{x[i]}) > bound * magnitude)
        BOOST_FAIL(codec << " of " << x[i]);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_larger_value_never_becomes_a_smaller_one) {
  for (const Codec codec : kLossy) {
    const Kernels kernels = everyVariant().back();
    std::vector<float> x;
    for (std::uint32_t bits = 0; bits <= 0x7F800000; bits += 997)
      x.push_back(valueOf(bits));
    const Half halves = written(kernels, codec, x);
    BOOST_TEST(std::ranges::is_sorted(halves));
  }
}

BOOST_AUTO_TEST_CASE(finite_stays_finite_and_nan_stays_nan) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float signal = valueOf(0xFF800001);
  for (const Kernels& kernels : everyVariant()) {
    for (const std::size_t repeats : {1U, 40U}) {  // the first and those of whole vectors
      std::vector<float> x;
      for (std::size_t i = 0; i < repeats; ++i)
        x.insert(x.end(), {65519.9F, -65520.0F, 3.4e38F, -infinity, signal, -0.0F, 1e-8F, -1e-45F});
      const Half fp16 = written(kernels, Codec::kFp16, x);
      const Half bf16 = written(kernels, Codec::kBf16, x);
      for (std::size_t at = 0; at < x.size(); at += 8) {
        const auto eight = [at](const Half& all) {
          return Half(all.begin() + static_cast<std::ptrdiff_t>(at),
                      all.begin() + static_cast<std::ptrdiff_t>(at + 8));
        };
        BOOST_TEST(
            eight(fp16) == (Half{0x7BFF, 0xFBFF, 0x7BFF, 0xFC00, 0xFE00, 0x8000, 0x0000, 0x8000}),
            boost::test_tools::per_element());
        BOOST_TEST(
            eight(bf16) == (Half{0x4780, 0xC780, 0x7F7F, 0xFF80, 0xFFC0, 0x8000, 0x322C, 0x8000}),
            boost::test_tools::per_element());
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(counts_values_of_either_sign) {
  for (const Kernels& kernels : everyVariant()) {
    for (const std::size_t n : {0U, 1U, 31U, 100'000U}) {
      Half x(n, 0x7BFE);
      std::size_t expected = 0;
      for (std::size_t i = 0; i < n; i += 3, ++expected)
        x[i] = i % 2 == 0 ? 0x7BFF : 0xFBFF;
      const auto* const bytes = reinterpret_cast<const unsigned char*>(x.data());
      BOOST_TEST(kernels->countHalves(bytes, n, 0x7BFF) == expected);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::codecs_test
