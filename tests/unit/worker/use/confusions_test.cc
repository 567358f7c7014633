#include "worker/use/confusions.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/golden.h"

namespace sumac::worker::confusions_test {

BOOST_AUTO_TEST_SUITE(confusions)

BOOST_AUTO_TEST_CASE(counts_what_was_taken_for_what_with_names) {
  Confusions confusions(2, {"cat", "dog"});
  confusions.add(0, 0);
  confusions.add(0, 1);
  confusions.add(0, 0);
  confusions.add(1, 2);  // an output that the data have no class for

  BOOST_TEST(confusions.of(0, 0) == 2);
  BOOST_TEST(confusions.text({.columns = 10}).starts_with("The commonest"));
  test::checkGolden("worker/use/confusions.txt", confusions.text());
  nlohmann::ordered_json json;
  confusions.putInto(json);
  BOOST_TEST(json.dump() == R"({"classNames":["cat","dog"],"counts":[[2,1,0],[0,0,1],[0,0,0]]})");
}

BOOST_AUTO_TEST_CASE(lists_the_commonest_mistakes_of_many_classes) {
  Confusions confusions(60, {});
  for (int label = 0; label < 59; ++label)
    for (int times = 0; times <= label; ++times)
      confusions.add(label, 59);
  confusions.add(7, 7);

  nlohmann::ordered_json json;
  confusions.putInto(json);
  BOOST_TEST(!json.contains("counts"));
  BOOST_REQUIRE(json["commonest"].size() == Confusions::kMostListed);
  BOOST_TEST(json["commonest"][0].dump() == R"({"label":58,"predicted":59,"samples":59})");
  BOOST_TEST(json["commonest"][19]["label"] == 39);
}

BOOST_AUTO_TEST_CASE(the_first_of_equal_logits_is_predicted) {
  const float logits[] = {-1, 3, 3, 2};
  BOOST_TEST(largestOf(logits, 4) == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::confusions_test
