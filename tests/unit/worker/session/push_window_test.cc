#include "worker/session/push_window.h"

#include <boost/test/unit_test.hpp>

namespace sumac::worker::push_window_test {

namespace {

constexpr std::uint64_t kMebibyte = 1024UL * 1024;

Push push(std::uint32_t range, std::uint64_t bytes = kMebibyte) {
  return {1, range, {0, 1}, bytes};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(push_window)

BOOST_AUTO_TEST_CASE(never_more_than_the_credit_is_under_way) {
  PushWindow window;
  window.reset(1);
  for (std::uint32_t i = 0; i < 20; ++i) {
    window.add(push(i));
  }
  int sent = 0;
  while (window.next()) {
    ++sent;
  }
  BOOST_TEST(sent == 8);
  BOOST_TEST(window.acknowledge(1, 3 * kMebibyte));
  while (window.next()) {
    ++sent;
  }
  BOOST_TEST(sent == 11);
  BOOST_TEST(window.underWay() == PushWindow::kCredit);
}

BOOST_AUTO_TEST_CASE(pushes_go_in_the_order_in_which_they_came) {
  PushWindow window;
  window.reset(1);
  window.add(push(4));
  window.add(push(2));
  BOOST_TEST(window.next()->range == 4U);
  BOOST_TEST(window.next()->range == 2U);
  BOOST_TEST(!window.next().has_value());
}

BOOST_AUTO_TEST_CASE(pushes_of_steps_that_are_over_cost_no_credit) {
  PushWindow window;
  window.reset(1);
  window.add({1, 0, {0, 1}, kMebibyte});
  window.add({2, 7, {0, 1}, kMebibyte});

  window.dropBefore(2);

  BOOST_TEST(window.next()->range == 7U);
  BOOST_TEST(window.underWay() == kMebibyte);
}

BOOST_AUTO_TEST_CASE(nothing_goes_without_a_connection) {
  PushWindow window;
  window.add(push(1));
  BOOST_TEST(!window.next().has_value());
  window.reset(1);
  window.add(push(1));
  window.disconnect();
  BOOST_TEST(!window.next().has_value());
}

BOOST_AUTO_TEST_CASE(a_new_connection_has_all_its_credit_and_ignores_acknowledgements_of_the_old) {
  PushWindow window;
  window.reset(1);
  window.add(push(1, PushWindow::kCredit));
  BOOST_TEST(window.next().has_value());
  window.reset(2);
  BOOST_TEST(window.underWay() == 0U);
  window.add(push(1, PushWindow::kCredit));
  BOOST_TEST(window.next().has_value());
  BOOST_TEST(window.acknowledge(1, PushWindow::kCredit));
  BOOST_TEST(window.underWay() == PushWindow::kCredit);
}

BOOST_AUTO_TEST_CASE(more_than_was_sent_cannot_be_acknowledged_and_credit_never_shrinks) {
  PushWindow window;
  window.reset(1);
  window.add(push(1));
  BOOST_TEST(window.next().has_value());
  BOOST_TEST(!window.acknowledge(1, 2 * kMebibyte));
  BOOST_TEST(window.underWay() == kMebibyte);
  BOOST_TEST(window.acknowledge(1, kMebibyte));
  BOOST_TEST(window.acknowledge(1, 0));
  BOOST_TEST(window.underWay() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::push_window_test
