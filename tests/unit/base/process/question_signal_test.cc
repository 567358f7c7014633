#include "base/process/question_signal.h"

#include <csignal>

#include <unistd.h>

#include <boost/test/unit_test.hpp>

namespace sumac::question_signal_test {

BOOST_AUTO_TEST_SUITE(question_signal)

BOOST_AUTO_TEST_CASE(a_question_is_taken_once_and_ends_nothing) {
  const auto questions = openQuestions();
  BOOST_TEST_REQUIRE(questions.has_value());
  BOOST_TEST(!takeQuestion(questions->get()));
  ::kill(::getpid(), SIGUSR1);
  BOOST_TEST(takeQuestion(questions->get()));
  BOOST_TEST(!takeQuestion(questions->get()));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::question_signal_test
