#include "base/keys/job_keys.h"

#include <set>

#include <boost/test/unit_test.hpp>

namespace sumac::job_keys_test {

BOOST_AUTO_TEST_SUITE(job_keys)

BOOST_AUTO_TEST_CASE(has_one_of_its_own_for_each_slot) {
  const auto keys = makeJobKeys(/*logical_workers=*/3, /*servers=*/2);
  BOOST_REQUIRE(keys);

  std::set<PublicKey> different;
  std::string names;
  for (const SlotKeys& one : keys->slots) {
    different.insert(one.pair.public_key);
    names += keyName(one.slot) + " ";
  }

  BOOST_TEST(different.size() == 5U);
  BOOST_TEST(names == "server-0 server-1 worker-0 worker-1 worker-2 ");
}

BOOST_AUTO_TEST_CASE(makes_no_more_than_a_job_can_have_replicas) {
  const auto keys = makeJobKeys(/*logical_workers=*/1'000'000, /*servers=*/0);
  BOOST_REQUIRE(keys);

  BOOST_TEST(keys->slots.size() == 4096U);
  BOOST_TEST(keys->publicText().size() < 512U << 10U);
}

BOOST_AUTO_TEST_CASE(writes_a_line_a_slot_and_no_private_key) {
  const auto keys = makeJobKeys(/*logical_workers=*/1, /*servers=*/1);
  BOOST_REQUIRE(keys);

  const std::string text = keys->publicText();

  BOOST_TEST(text == "server-0 " + toText(keys->slots[0].pair.public_key) + "\nworker-0 " +
                         toText(keys->slots[1].pair.public_key) + "\n");
}

BOOST_AUTO_TEST_CASE(names_come_back_as_slots) {
  for (const Slot slot : {Slot{Role::kServer, 0}, Slot{Role::kServer, 1023}, Slot{Role::kWorker, 7},
                          Slot{Role::kWorker, 4095}}) {
    BOOST_TEST((slotOfKeyName(keyName(slot)) == slot), slot);
  }
}

BOOST_AUTO_TEST_CASE(refuses_names_of_no_slot) {
  for (const char* name :
       {"", "worker", "worker-", "worker-x", "worker-+1", "worker--1", "worker-01", "worker-1 ",
        "worker-4096", "server-1024", "worker-99999999999999", "planner-0", "Worker-1", "public"}) {
    BOOST_TEST(!slotOfKeyName(name).has_value(), name);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::job_keys_test
