#include "planner/advice/memory_needs.h"

#include <algorithm>
#include <iterator>
#include <set>

#include <boost/test/unit_test.hpp>

#include "planner/advice/advise.h"
#include "tests/unit/planner/advice/questions.h"

namespace sumac::planner::memory_needs_test {
namespace {

/// 64 parts of 128 samples, so that a worker's share of the samples weighs.
AdviceQuestion largeQuestion() {
  AdviceQuestion question = aQuestion();
  question.job.training.batch_size = 8192;
  question.job.training.logical_workers = 64;
  return question;
}

Advice answerTo(const AdviceQuestion& question) {
  const auto advice = advise(question);
  BOOST_TEST_REQUIRE(advice.has_value());
  return *advice;
}

JobChoice choiceWith(const AdviceQuestion& question, int workers) {
  JobChoice choice = choiceOf(question.job);
  choice.workers = workers;
  return choice;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(memory_needs)

BOOST_AUTO_TEST_CASE(no_size_is_proposed_that_does_not_fit_the_jobs_own_limit) {
  AdviceQuestion question = largeQuestion();
  std::set<std::int64_t> needs;
  for (const Configuration& each : answerTo(question).configurations)
    needs.insert(each.memory.worker_bytes);
  BOOST_TEST_REQUIRE(needs.size() > 3U);
  for (const std::int64_t need :
       {*needs.begin(), *std::next(needs.begin(), std::ssize(needs) / 2), *needs.rbegin()}) {
    for (const std::int64_t limit : {need, need - 1}) {
      question.worker_bytes = aFigure(static_cast<double>(limit));
      const Advice advice = answerTo(question);
      for (const Configuration& each : advice.configurations)
        BOOST_TEST(each.isPossible() == (each.memory.worker_bytes <= limit));
      BOOST_TEST(advice.recommended.has_value() == (*needs.begin() <= limit));
    }
  }
}

BOOST_AUTO_TEST_CASE(the_jobs_own_limit_is_of_workers_in_pods_of_their_own) {
  AdviceQuestion question = aQuestion();
  question.job.server.replicas = 1;
  question.worker_bytes = aFigure(1e6);
  BOOST_TEST(!answerTo(question).recommended.has_value());
  question.place = Placement::kHere;
  BOOST_TEST(answerTo(question).recommended.has_value());
  question.place = Placement::kMachines;
  // A machine whose memory no member fits into is told of first.
  question.member_bytes = aFigure(1e6 + 1);
  for (const Configuration& each : answerTo(question).configurations)
    BOOST_TEST(!each.memory.is_workers_limit);
}

BOOST_AUTO_TEST_CASE(the_answer_says_from_which_number_of_workers_on_the_limit_fits) {
  AdviceQuestion question = largeQuestion();
  question.most_workers = 4;
  const std::int64_t taken = answerTo(question).taken().memory.worker_bytes;
  BOOST_TEST_REQUIRE((answerTo(question).taken().choice.codec == Codec::kFp32));
  question.worker_bytes = aFigure(static_cast<double>(taken));
  const Advice advice = answerTo(question);
  const auto note = std::ranges::find(advice.notes, NoteKind::kFewWorkers, &Note::kind);
  BOOST_TEST_REQUIRE((note != advice.notes.end()));
  BOOST_TEST(note->amount >= 2);
  BOOST_TEST(note->amount <= advice.taken().choice.workers);
  BOOST_TEST(note->other > note->limit);
  BOOST_TEST(note->limit == static_cast<double>(taken));

  question.worker_bytes = aFigure(1e12);
  const Advice ample = answerTo(question);
  BOOST_TEST(std::ranges::count(ample.notes, NoteKind::kFewWorkers, &Note::kind) == 0);
}

BOOST_AUTO_TEST_CASE(the_most_workers_that_are_too_few_need_more_than_the_limit) {
  const AdviceQuestion question = largeQuestion();
  const JobChoice choice = choiceWith(question, 8);
  int steps = 0;
  std::int64_t limit = 0;
  int workers = choice.workers;
  while (const auto too_few = tooFewWorkers(question, choice, limit)) {
    BOOST_TEST(too_few->workers < workers);
    BOOST_TEST(too_few->bytes > limit);
    limit = too_few->bytes;
    workers = too_few->workers;
    ++steps;
  }
  BOOST_TEST(steps > 1);
}

BOOST_AUTO_TEST_CASE(where_members_may_not_change_nobody_takes_over) {
  const AdviceQuestion question = largeQuestion();
  JobChoice choice = choiceWith(question, 8);
  BOOST_TEST(tooFewWorkers(question, choice, 0).has_value());
  choice.codec = Codec::kBf16;
  BOOST_TEST(!tooFewWorkers(question, choice, 0).has_value());
  choice = choiceWith(question, 1);
  BOOST_TEST(!tooFewWorkers(question, choice, 0).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::memory_needs_test
