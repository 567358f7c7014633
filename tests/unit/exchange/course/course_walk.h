#pragma once

#include <chrono>
#include <sstream>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "exchange/course/training_course.h"

namespace sumac::worker::training_course_test {

using Options = TrainingCourse::Options;

inline const StopOrder kNoStop;

/// A job of two epochs of three steps with checkpoints.
inline Options aJob(bool is_writer) {
  return {.total_steps = 6,
          .steps_per_epoch = 3,
          .evaluation_every_epochs = 1,
          .checkpoint_every = 2,
          .is_writer = is_writer,
          .keeps_checkpoints = true};
}

/// A course, and what happens: whatever is not said goes as asked.
class Walk {
 public:
  explicit Walk(const Options& options)
      : course_(options), action_(course_.begin(kNoStop, TimePoint{})) {}

  /// Carries out all actions up to the first `task`, which is next then.
  Walk& until(Task task) {
    while (action_.task != task && action_.task != Task::kExit)
      goes(Outcome::kDone);
    BOOST_TEST(action_.task == task);
    return *this;
  }
  /// The next action goes so.
  Walk& goes(Outcome outcome) {
    action_ = course_.next(outcome, stop_, now_);
    return *this;
  }
  Walk& at(std::chrono::seconds now) {
    now_ = TimePoint{now};
    return *this;
  }
  Walk& isAsked(const StopOrder& stop) {
    stop_ = stop;
    return *this;
  }
  const Action& next() const { return action_; }
  const TrainingCourse& course() const { return course_; }
  /// All actions up to another roster.
  std::vector<std::string> untilAnew() {
    std::vector<std::string> all;
    for (; action_.task != Task::kBeginAnew && action_.task != Task::kExit; goes(Outcome::kDone))
      all.push_back(text());
    return all;
  }
  /// It has come.
  Walk& anew(const Options& options) {
    stop_ = {};
    action_ = course_.beginAnew(options, stop_, now_);
    return *this;
  }
  /// What is next, and all that follows, each with its step: "step 1".
  std::vector<std::string> rest() {
    std::vector<std::string> all;
    for (; action_.task != Task::kExit; goes(Outcome::kDone))
      all.push_back(text());
    return all;
  }

 private:
  std::string text() const {
    std::ostringstream text;
    text << action_;
    return text.str();
  }

  TrainingCourse course_;
  StopOrder stop_;
  TimePoint now_{};
  Action action_;
};

using Texts = std::vector<std::string>;

inline void check(const Texts& found, const Texts& wanted) {
  BOOST_TEST(found == wanted, boost::test_tools::per_element());
}

}  // namespace sumac::worker::training_course_test
