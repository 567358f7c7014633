#include "libsumac/sized.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include <boost/test/unit_test.hpp>

namespace sumac::program {

/// A struct of a later version: `added` was not there in the first one.
struct Grown {
  std::size_t size;
  std::int64_t known;
  std::int64_t added;
};
template <>
inline constexpr std::size_t kFirstSize<Grown> = 16;

namespace sized_test {
namespace {

/// Exactly as much memory as a struct of that size has.
struct Memory {
  explicit Memory(std::size_t size) : bytes(std::make_unique<std::byte[]>(size)) {
    set(0, static_cast<std::int64_t>(size));
    set(8, 7);
  }
  void set(std::size_t at, std::int64_t value) {
    std::memcpy(bytes.get() + at, &value, sizeof(value));
  }
  std::int64_t at(std::size_t place) const {
    std::int64_t value = 0;
    std::memcpy(&value, bytes.get() + place, sizeof(value));
    return value;
  }
  Grown* get() { return reinterpret_cast<Grown*>(bytes.get()); }

  std::unique_ptr<std::byte[]> bytes;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(sized)

BOOST_AUTO_TEST_CASE(an_older_program_s_struct_lacks_what_was_added_which_is_0) {
  Memory older(16);
  requireStruct(older.get(), "x");
  const Grown copy = copyIn(older.get(), "x");
  BOOST_TEST(copy.known == 7);
  BOOST_TEST(copy.added == 0);
}

BOOST_AUTO_TEST_CASE(an_older_program_gets_no_more_than_it_has_room_for) {
  Memory older(16);
  copyOut(Grown{.size = 24, .known = 1, .added = 2}, older.get());
  BOOST_TEST(older.at(0) == 16);
  BOOST_TEST(older.at(8) == 1);
}

BOOST_AUTO_TEST_CASE(a_newer_program_s_struct_is_taken_where_the_rest_is_0) {
  Memory newer(40);
  newer.set(16, 3);
  requireStruct(newer.get(), "x");
  BOOST_TEST(copyIn(newer.get(), "x").added == 3);
  newer.set(32, 1);
  BOOST_CHECK_THROW(copyIn(newer.get(), "x"), Misuse);
}

BOOST_AUTO_TEST_CASE(a_newer_program_s_rest_stays_as_it_was) {
  Memory newer(32);
  newer.set(24, 5);
  copyOut(Grown{.size = 24, .known = 1, .added = 2}, newer.get());
  BOOST_TEST(newer.at(0) == 32);
  BOOST_TEST(newer.at(16) == 2);
  BOOST_TEST(newer.at(24) == 5);
}

BOOST_AUTO_TEST_CASE(sizes_that_no_version_has_are_misuse) {
  for (const std::int64_t size : {0, 8, 15, 4097, -1}) {
    Memory memory(16);
    memory.set(0, size);
    BOOST_CHECK_THROW(requireStruct(memory.get(), "x"), Misuse);
  }
  BOOST_CHECK_THROW(requireStruct(static_cast<const Grown*>(nullptr), "x"), Misuse);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sized_test
}  // namespace sumac::program
