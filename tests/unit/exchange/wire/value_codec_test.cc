#include "exchange/wire/value_codec.h"

#include <cmath>
#include <limits>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/check.h"
#include "tests/support/plain_kernels.h"

namespace sumac::wire::value_codec_test {
namespace {

// Seven values of the gradient, the loss, three of part state.
ExchangePlan planWith(Codec codec) {
  ExchangePlan plan = makeExchangePlan({7}, 1, {.recurrent = 3});
  plan.codec = codec;
  return plan;
}

std::vector<float> values() {
  std::vector<float> all;
  for (int i = 0; i < 11; ++i)
    all.push_back(static_cast<float>(i) + 0.3F);
  return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(value_codec)

BOOST_AUTO_TEST_CASE(halves_the_gradient_alone) {
  const ExchangePlan plan = planWith(Codec::kBf16);
  const ValueCodec codec(plan, &kPlainKernels);
  BOOST_TEST(codec.size(0, 7) == 14U);
  BOOST_TEST(codec.size(5, 2) == 4U);
  BOOST_TEST(codec.size(6, 2) == 6U);   // the last, and the loss
  BOOST_TEST(codec.size(8, 3) == 12U);  // part state
  BOOST_TEST(codec.size(0, 11) == 30U);
  const ExchangePlan exact = planWith(Codec::kFp32);
  BOOST_TEST(ValueCodec(exact, nullptr).size(0, 11) == 44U);
}

BOOST_AUTO_TEST_CASE(loss_and_part_state_keep_every_bit) {
  for (const Codec lossy : {Codec::kBf16, Codec::kFp16}) {
    const ExchangePlan plan = planWith(lossy);
    const ValueCodec codec(plan, &kPlainKernels);
    for (std::int64_t first = 0; first < plan.values; ++first) {
      const auto from = values();
      const auto some = std::span(from).subspan(static_cast<std::size_t>(first));
      Bytes bytes(codec.size(first, std::ssize(some)));
      codec.write(bytes, first, some);
      std::vector<float> to(some.size());
      codec.read(to, first, bytes);
      for (std::size_t i = 0; i < to.size(); ++i) {
        const bool is_gradient = first + static_cast<std::int64_t>(i) < plan.parameters;
        BOOST_TEST(to[i] == (is_gradient ? roundedPlainly(lossy, some[i]) : some[i]));
        BOOST_TEST((to[i] == some[i]) == !is_gradient);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(counts_what_is_larger_than_fp16_allows) {
  const auto limited = [](Codec lossy) {
    const ExchangePlan plan = planWith(lossy);
    const ValueCodec codec(plan, &kPlainKernels);
    std::vector<float> all(11, 1.0F);
    all[1] = 1e6F;
    all[5] = -1e6F;
    all[8] = 65504.0F;  // part state
    Bytes bytes(codec.size(0, plan.values));
    const std::size_t found = codec.write(bytes, 0, all);
    BOOST_TEST(codec.read(all, 0, bytes) == found);
    BOOST_TEST((all[1] == 65504.0F) == (lossy == Codec::kFp16));
    return found;
  };
  BOOST_TEST(limited(Codec::kFp16) == 2U);
  BOOST_TEST(limited(Codec::kBf16) == 0U);
  BOOST_TEST(limited(Codec::kFp32) == 0U);
}

BOOST_AUTO_TEST_CASE(may_be_sparse_where_an_embedding_or_part_state_is) {
  ExchangePlan plan = planWith(Codec::kFp32);
  const ValueCodec codec(plan, nullptr);
  BOOST_TEST(!codec.mayBeSparse(0, 8));
  BOOST_TEST(codec.mayBeSparse(7, 2));
  plan.embedding = 3;
  BOOST_TEST(codec.mayBeSparse(2, 1));
  BOOST_TEST(!codec.mayBeSparse(3, 5));
}

BOOST_AUTO_TEST_CASE(a_lossy_codec_needs_kernels) {
  const ExchangePlan plan = planWith(Codec::kFp16);
  BOOST_CHECK_THROW(ValueCodec(plan, nullptr), InvariantViolation);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::wire::value_codec_test
