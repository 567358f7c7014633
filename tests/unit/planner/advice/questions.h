#pragma once

#include <string>

#include <boost/test/unit_test.hpp>

#include "job/model/network.h"
#include "planner/advice/question.h"
#include "tests/support/synthetic_profile.h"

namespace sumac::planner {

/// LeNet-5, 100 steps of 128 samples, 4 parts, on machines of their own.
inline AdviceQuestion aQuestion() {
  AdviceQuestion question;
  question.job.name = "lenet";
  question.job.model.name = "lenet5";
  question.job.training.batch_size = 128;
  question.job.training.steps = 100;
  question.job.training.logical_workers = 4;
  question.job.training.threads = 0;
  question.job.worker.replicas = 2;
  question.job.server.replicas = 1;
  question.job.transport = job::Transport::kNone;
  question.network = model::resolve(*model::fromZoo("lenet5"), {}).value();
  question.profile = syntheticProfile(question.job, question.network);
  question.steps = 100;
  question.most_workers = 64;
  return question;
}

inline Figure aFigure(double value) {
  return {value, FigureOrigin::kPublished, "a test", "2026-01-31"};
}

inline MachineType aMachine() {
  MachineType type;
  type.name = "big";
  type.price_per_hour = aFigure(3.6);
  type.currency = "USD";
  return type;
}

}  // namespace sumac::planner
