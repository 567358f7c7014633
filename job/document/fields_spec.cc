#include <algorithm>
#include <bit>
#include <iterator>

#include "job/document/field.h"
#include "job/document/limits.h"
#include "job/document/rule_tools.h"

namespace sumac::job::internal {

namespace {

bool mayHaveServers(const yaml::Node& self) {
  const yaml::Node* const strategy = self.find("strategy");
  return strategy == nullptr || (textOf(*strategy, "exchange") != "allReduce" &&
                                 textOf(*strategy, "topology") != "decentralized");
}

bool serverAllowed(const yaml::Node& self) {
  return !has(self, "server") || mayHaveServers(self);
}

bool peersFit(const yaml::Node& self) {
  const yaml::Node* const worker = self.find("worker");
  const auto workers = worker == nullptr ? std::nullopt : integerIn(*worker, "replicas");
  return mayHaveServers(self) || !workers || *workers <= kMostPeers;
}

std::optional<std::int64_t> parts(const yaml::Node& self) {
  const yaml::Node* const training = self.find("training");
  return training == nullptr ? std::nullopt : integerIn(*training, "logicalWorkers");
}

bool workersFit(const yaml::Node& self) {
  const yaml::Node* const worker = self.find("worker");
  return worker == nullptr || ordered(integerIn(*worker, "replicas"), parts(self));
}

bool mostWorkersFit(const yaml::Node& self) {
  const yaml::Node* const worker = self.find("worker");
  return worker == nullptr || ordered(integerIn(*worker, "maxReplicas"), parts(self));
}

// An autoscaled job does not use worker.replicas.
bool replicasAtLeast(const yaml::Node& self) {
  const yaml::Node* const worker = self.find("worker");
  return has(self, "autoscaling") || worker == nullptr ||
         ordered(integerIn(*worker, "minReplicas"), integerIn(*worker, "replicas"));
}

bool replicasAtMost(const yaml::Node& self) {
  const yaml::Node* const worker = self.find("worker");
  return has(self, "autoscaling") || worker == nullptr ||
         ordered(integerIn(*worker, "replicas"), integerIn(*worker, "maxReplicas"));
}

bool canAutoscale(const yaml::Node& self) {
  const yaml::Node* const worker = self.find("worker");
  return !has(self, "autoscaling") || (worker != nullptr && has(*worker, "minReplicas"));
}

/// With fp32 another exchange of the same bits takes over: the number of workers may change.
bool powerOfTwoFits(const yaml::Node& self) {
  const yaml::Node* const strategy = self.find("strategy");
  const yaml::Node* const worker = self.find("worker");
  if (strategy == nullptr || textOf(*strategy, "algorithm") != "halvingDoubling") return true;
  const std::string_view codec = textOf(*strategy, "codec");
  if (codec.empty() || codec == "fp32") return true;
  const auto workers = worker == nullptr ? std::nullopt : integerIn(*worker, "replicas");
  return !workers || *workers < 1 || std::has_single_bit(static_cast<std::uint64_t>(*workers));
}

/// "1, 2, 4" up to the largest number of workers.
std::string powersOfTwo() {
  std::string list = "1";
  for (int workers = 2; workers <= kMostWorkers; workers *= 2)
    list += ", " + std::to_string(workers);
  return list;
}

std::vector<Rule> specRules() {
  const std::string may_have_servers =
      "!has(self.strategy) || (self.strategy.exchange == 'parameterServer' && "
      "(!has(self.strategy.topology) || self.strategy.topology == 'centralized'))";
  const std::string most_workers = "set training.logicalWorkers to the most workers you want";
  std::vector<Rule> rules = {
      {"!has(self.server) || " + may_have_servers,
       "server is only used with strategy.exchange parameterServer and strategy.topology "
       "centralized",
       serverAllowed, "server"},
      {"has(self.autoscaling) || !has(self.worker.minReplicas) || "
       "self.worker.minReplicas <= self.worker.replicas",
       "worker.replicas must be >= worker.minReplicas", replicasAtLeast, "worker.replicas",
       "worker.minReplicas"},
      {"has(self.autoscaling) || !has(self.worker.maxReplicas) || "
       "self.worker.replicas <= self.worker.maxReplicas",
       "worker.replicas must be <= worker.maxReplicas", replicasAtMost, "worker.replicas",
       "worker.maxReplicas"},
      {"!has(self.training.logicalWorkers) || "
       "self.worker.replicas <= self.training.logicalWorkers",
       "worker.replicas must be <= training.logicalWorkers", workersFit, "worker.replicas",
       "training.logicalWorkers", most_workers},
      {"!has(self.training.logicalWorkers) || !has(self.worker.maxReplicas) || "
       "self.worker.maxReplicas <= self.training.logicalWorkers",
       "worker.maxReplicas must be <= training.logicalWorkers", mostWorkersFit,
       "worker.maxReplicas", "training.logicalWorkers", most_workers},
      {"!has(self.strategy) || !has(self.strategy.algorithm) || "
       "self.strategy.algorithm != 'halvingDoubling' || !has(self.strategy.codec) || "
       "self.strategy.codec == 'fp32' || self.worker.replicas in [" +
           powersOfTwo() + "]",
       "worker.replicas must be a power of two with strategy.algorithm halvingDoubling and another "
       "codec than fp32",
       powerOfTwoFits, "worker.replicas"},
      {may_have_servers + " || self.worker.replicas <= " + std::to_string(kMostPeers),
       "worker.replicas of a job without servers must be <= " + std::to_string(kMostPeers),
       peersFit, "worker.replicas"},
      {"has(self.training.logicalWorkers) || "
       "(has(self.worker.maxReplicas) ? self.worker.maxReplicas : self.worker.replicas) <= "
       "self.training.batchSize",
       "training.batchSize must be >= the number of workers, so that no part is empty"},
      {"!has(self.autoscaling) || has(self.worker.minReplicas)",
       "autoscaling needs worker.minReplicas and worker.maxReplicas", canAutoscale, "autoscaling"},
      {"!has(self.autoscaling) || !has(oldSelf.autoscaling) || "
       "self.worker.replicas == oldSelf.worker.replicas",
       "worker.replicas does not change while spec.autoscaling chooses the number of workers: "
       "take spec.autoscaling out first, or in the same update"},
      {"self.suspend || oldSelf.suspend || has(self.worker.minReplicas) || "
       "self.worker.replicas == oldSelf.worker.replicas",
       "worker.replicas of a job without minReplicas and maxReplicas changes only while "
       "suspended"}};
  std::ranges::move(programRules(), std::back_inserter(rules));
  std::ranges::move(sharedFolderRules(), std::back_inserter(rules));
  return rules;
}

Field security() {
  return {.name = "security",
          .text = "Security of the connections between the job's pods.",
          .change = Change::kNever,
          .fields = {{.name = "transport",
                      .type = Type::kChoice,
                      .text = "curve: encrypted and authenticated, the default in a cluster; none "
                              "must be asked for there. `sumac run` encrypts where curve is asked "
                              "for.",
                      .choices = {{"curve"}, {"none"}}}}};
}

Field seconds(std::string name, std::string text, std::int64_t minimum) {
  return {.name = std::move(name),
          .type = Type::kInteger,
          .text = std::move(text),
          .minimum = minimum,
          .maximum = 1'000'000'000};
}

}  // namespace

Field runPolicySection() {
  return {
      .name = "runPolicy",
      .text =
          "What is done about failures, deadlines and the end. `sumac run` uses joinSeconds "
          "and stalledAfterSeconds.",
      .schema_default = "{}",
      .fields = {
          {.name = "cleanPodPolicy",
           .type = Type::kChoice,
           .text = "Pods that are deleted at the end: Running, All or None.",
           .choices = {{"Running"}, {"All"}, {"None"}},
           .schema_default = "Running"},
          {.name = "backoffLimit",
           .type = Type::kInteger,
           .text = "Failures in a row without progress before the job fails.",
           .minimum = 0,
           .maximum = 1'000'000,
           .schema_default = "3"},
          seconds("activeDeadlineSeconds",
                  "Maximum time that the job may be active; then it fails.", 1),
          seconds("preRunningDeadlineSeconds",
                  "Maximum time until all pods run; then the job fails.", 1),
          seconds("joinSeconds",
                  "How long the coordinator waits, from its start, until all members "
                  "have joined. After that it ends all of them with exit code 75, and "
                  "the message names who is missing. 600 by default. The job keeps the "
                  "value that it was created with.",
                  1),
          seconds("stalledAfterSeconds",
                  "How long a worker that has work to do may go without progress. After "
                  "that the coordinator takes it for lost, although it still answers: its "
                  "process ends with exit code 75, and where members may not change all "
                  "members end so; the message names the "
                  "worker. Give more time than a worker needs for one part of a step, "
                  "for one batch of an evaluation and for 64 MiB of a checkpoint. "
                  "Without it, no worker is taken for lost for that reason. The job "
                  "keeps the value that it was created with.",
                  1),
          seconds("scaleCoolDownSeconds",
                  "Minimum time between two changes of the number of workers; by default "
                  "10 where the others train on, and 300 where all pods restart.",
                  0),
          seconds("scaleFitSeconds",
                  "Where another number of workers restarts all pods: maximum time that "
                  "a larger number may wait for room; then "
                  "the job goes back to the last number that ran. 300 by default. A job "
                  "that has never run has no such number: it waits for room, at most "
                  "for preRunningDeadlineSeconds.",
                  1),
          seconds("ttlSecondsAfterFinished", "Time after the end until the job is deleted.", 0)}};
}

Field specSection() {
  return {.name = "spec",
          .text = "What to train and how the gradients travel.",
          .required = true,
          .rules = specRules(),
          .fields = {modelSection(),
                     dataSection(),
                     programSection(),
                     trainingSection(),
                     strategySection(),
                     workerSection(),
                     serverSection(),
                     autoscalingSection(),
                     checkpointSection(),
                     outputSection(),
                     runPolicySection(),
                     security(),
                     {.name = "suspend",
                      .type = Type::kBoolean,
                      .text = "Deletes the pods and keeps the job; training resumes from the "
                              "newest checkpoint when it is false again. Not used by `sumac run`.",
                      .schema_default = "false"},
                     {.name = "managedBy",
                      .type = Type::kChoice,
                      .text = "Controller of the job; sumac.dev/operator when absent. The operator "
                              "leaves a job of another controller alone.",
                      .choices = {{"sumac.dev/operator"}, {"kueue.x-k8s.io/multikueue"}},
                      .change = Change::kNever}}};
}

}  // namespace sumac::job::internal
