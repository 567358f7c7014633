#include "base/core/sha256.h"

#include <boost/test/unit_test.hpp>

namespace sumac::sha256_test {

BOOST_AUTO_TEST_SUITE(sha256_digest)

BOOST_AUTO_TEST_CASE(gives_the_example_of_the_standard) {
  BOOST_TEST(sha256Hex(asBytes("abc")) ==
             "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");  // FIPS 180-4
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::sha256_test
