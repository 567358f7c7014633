#include "exchange/wire/suspect.h"

#include <boost/test/unit_test.hpp>

namespace sumac::wire::suspect_test {

BOOST_AUTO_TEST_SUITE(suspect)

BOOST_AUTO_TEST_CASE(names_a_worker_or_a_server) {
  for (const Slot slot : {Slot{Role::kServer, 0}, Slot{Role::kServer, 7}, Slot{Role::kWorker, 0},
                          Slot{Role::kWorker, kLargestIndex}}) {
    Header header;
    setSuspect(header, slot);
    BOOST_TEST((suspectOf(header) == slot));
  }
}

BOOST_AUTO_TEST_CASE(another_role_or_a_larger_index_names_nobody) {
  Header header;
  setSuspect(header, {Role::kWorker, 1});
  header.first = 2;
  BOOST_TEST(!suspectOf(header).has_value());
  header.first = 1;
  header.value = static_cast<std::uint64_t>(kLargestIndex) + 1;
  BOOST_TEST(!suspectOf(header).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::wire::suspect_test
