#include "kernels/aligned_buffer.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <sys/mman.h>

#include <boost/test/unit_test.hpp>

namespace sumac::aligned_buffer_test {

BOOST_AUTO_TEST_SUITE(aligned_buffer)

BOOST_AUTO_TEST_CASE(begins_at_a_multiple_of_64_bytes_with_zeros) {
  for (const std::size_t size : {1U, 3U, 17U, 1000U}) {
    const AlignedBuffer buffer(size);
    BOOST_TEST(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64 == 0U);
    BOOST_TEST(buffer.values().size() == size);
    for (const float value : buffer.values())
      BOOST_TEST(value == 0.0F);
  }
}

BOOST_AUTO_TEST_CASE(takes_memory_for_a_large_one_as_its_values_are_touched) {
  constexpr std::size_t kPage = 4096;
  const AlignedBuffer buffer(std::size_t{32} << 20U);
  const std::size_t bytes = buffer.size() * sizeof(float);
  auto* const memory = const_cast<float*>(buffer.data());
  std::vector<unsigned char> pages(bytes / kPage);
  BOOST_TEST_REQUIRE(::mincore(memory, bytes, pages.data()) == 0);
  BOOST_TEST(std::ranges::count(pages, 0) == std::ssize(pages));
  BOOST_TEST(reinterpret_cast<std::uintptr_t>(memory) % (std::size_t{2} << 20U) == 0U);
  BOOST_TEST(buffer.data()[0] == 0.0F);
  BOOST_TEST(buffer.data()[buffer.size() - 1] == 0.0F);
}

BOOST_AUTO_TEST_CASE(hands_its_values_over_when_moved) {
  AlignedBuffer first(4);
  first.values()[3] = 2.0F;
  const float* const values = first.data();

  const AlignedBuffer second = std::move(first);

  BOOST_TEST(second.data() == values);
  BOOST_TEST(second.values()[3] == 2.0F);
}

BOOST_AUTO_TEST_CASE(is_empty_without_a_size) {
  BOOST_TEST(AlignedBuffer().values().empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::aligned_buffer_test
