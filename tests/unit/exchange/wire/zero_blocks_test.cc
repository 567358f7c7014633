#include "exchange/wire/zero_blocks.h"

#include <bit>
#include <random>

#include <boost/test/unit_test.hpp>

namespace sumac::wire::zero_blocks_test {
namespace {

/// Bytes of which about one block in `of` is not zero.
Bytes sparseBytes(std::size_t size, unsigned of, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes(size);
  for (std::size_t block = 0; block < size; block += kZeroBlock) {
    if (random() % of == 0)
      bytes[block + random() % std::min(kZeroBlock, size - block)] = std::byte{1};
  }
  return bytes;
}

Bytes restored(BytesView sparse, std::size_t size) {
  Bytes out(size, std::byte{0xAA});
  BOOST_REQUIRE(restoreZeroBlocks(sparse, out));
  return out;
}

bool isRestored(BytesView sparse, std::size_t size) {
  Bytes out(size);
  return restoreZeroBlocks(sparse, out);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(zero_blocks)

BOOST_AUTO_TEST_CASE(gives_back_the_same_bytes_in_fewer) {
  for (const std::size_t size : {64U, 100U, 256U, 257U, 511U, 4096U, 524'288U}) {
    for (unsigned seed = 0; seed < 8; ++seed) {
      const Bytes bytes = sparseBytes(size, /*of=*/50, seed);
      const auto sparse = withoutZeroBlocks(bytes);
      if (!sparse) continue;
      BOOST_TEST(sparse->size() <= size - size / 4);
      BOOST_TEST((restored(*sparse, size) == bytes));
    }
  }
}

BOOST_AUTO_TEST_CASE(leaves_nothing_out_where_that_saves_little) {
  BOOST_TEST(!withoutZeroBlocks(Bytes(1024, std::byte{1})));
  BOOST_TEST(!withoutZeroBlocks(sparseBytes(100'000, /*of=*/1, 1)));
  BOOST_TEST(withoutZeroBlocks(Bytes(1024)).value().size() == 4U);
  BOOST_TEST(withoutZeroBlocks(Bytes{}).value().empty());
}

// x + 0 is x but where x is -0: what is left out must be +0 in the sum, too.
BOOST_AUTO_TEST_CASE(a_negative_zero_is_not_left_out) {
  Bytes bytes(4 * kZeroBlock);
  storeLittleEndian(&bytes[2 * kZeroBlock], std::bit_cast<std::uint32_t>(-0.0F));

  const auto sparse = withoutZeroBlocks(bytes);

  BOOST_TEST_REQUIRE(sparse.has_value());
  BOOST_TEST(sparse->size() == 1 + kZeroBlock);
  BOOST_TEST((restored(*sparse, bytes.size()) == bytes));
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_rejected) {
  const Bytes bytes = sparseBytes(1000, /*of=*/10, 3);
  const Bytes sparse = withoutZeroBlocks(bytes).value();
  Bytes more = sparse;
  more.push_back(std::byte{0});
  BOOST_TEST(!isRestored(more, 1000));
  for (std::size_t size = 0; size < sparse.size(); ++size)
    BOOST_TEST(!isRestored(BytesView(sparse).first(size), 1000));
  BOOST_TEST(!isRestored(sparse, 2000));
  Bytes beyond(1);
  beyond[0] = std::byte{0x02};  // of one block the second
  BOOST_TEST(isRestored(Bytes(1), kZeroBlock));
  BOOST_TEST(!isRestored(beyond, kZeroBlock));
}

BOOST_AUTO_TEST_CASE(any_bytes_are_read_within_their_bounds) {
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    Bytes sparse(random() % 80);
    for (std::byte& byte : sparse)
      byte = static_cast<std::byte>(random() % 4 == 0 ? random() : 0);
    isRestored(sparse, random() % 1200);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::wire::zero_blocks_test
