#include "job/document/field.h"
#include "job/document/rule_tools.h"

namespace sumac::job::internal {

namespace {

Field price(std::string name, std::string text) {
  return {.name = std::move(name),
          .type = Type::kDecimal,
          .text = std::move(text),
          .range = {.above = "0"}};
}

Field cost() {
  return {.name = "cost",
          .text = "What the job costs, in any currency.",
          .only_with = OnlyWith{"policy", {"deadline", "cost"}},
          .rules = {{"!has(self.serverHour) || has(self.workerHour)",
                     "serverHour needs workerHour beside it",
                     [](const yaml::Node& self) {
                       return !has(self, "serverHour") || has(self, "workerHour");
                     }}},
          .fields = {price("workerHour",
                           "Price of one worker for an hour. Without prices a deadline "
                           "counts the time of workers instead."),
                     price("serverHour", "Price of one server for an hour; free without it."),
                     price("budget", "Money for the whole job, with policy cost.")}};
}

bool isPolicy(const yaml::Node& self, std::string_view policy) {
  return textOf(self, "policy") == policy;
}

bool costHas(const yaml::Node& self, std::string_view name) {
  const yaml::Node* const cost = self.find("cost");
  return cost != nullptr && has(*cost, name);
}

std::vector<Rule> rules() {
  return {
      {"self.policy != 'deadline' || has(self.deadlineSeconds)",
       "policy deadline needs deadlineSeconds",
       [](const yaml::Node& self) {
         return !isPolicy(self, "deadline") || has(self, "deadlineSeconds");
       },
       "policy"},
      {"self.policy != 'cost' || (has(self.cost) && has(self.cost.budget) && "
       "has(self.cost.workerHour))",
       "policy cost needs cost.budget and cost.workerHour",
       [](const yaml::Node& self) {
         return !isPolicy(self, "cost") || (costHas(self, "budget") && costHas(self, "workerHour"));
       },
       "policy"},
      {"self.policy == 'cost' || !has(self.cost) || !has(self.cost.budget)",
       "cost.budget is only used with policy cost",
       [](const yaml::Node& self) { return isPolicy(self, "cost") || !costHas(self, "budget"); },
       "cost.budget"}};
}

}  // namespace

Field autoscalingSection() {
  return {
      .name = "autoscaling",
      .text =
          "The job chooses its number of workers itself, within worker.minReplicas and "
          "maxReplicas; `sumac plan` says which numbers differ in speed. It starts with "
          "minReplicas, or goes on with as many as it has, and worker.replicas is not used.",
      .rules = rules(),
      .fields = {
          {.name = "policy",
           .type = Type::kChoice,
           .text = "What the number of workers is chosen for. throughput: the earliest end, with "
                   "the fewest workers that are nearly as fast; efficiency: the most workers "
                   "whose speed is at least targetEfficiency of what as many times minReplicas "
                   "would give; deadline: the cheapest number that ends in time; cost: the "
                   "fastest number that the budget pays.",
           .required = true,
           .choices = {{"throughput"}, {"efficiency"}, {"deadline"}, {"cost"}}},
          {.name = "targetEfficiency",
           .type = Type::kDecimal,
           .text = "Speed per worker over the same with minReplicas workers.",
           .range = {.above = "0", .below = "1"},
           .resolver_default = "\"0.7\"",
           .only_with = OnlyWith{"policy", {"efficiency"}}},
          {.name = "deadlineSeconds",
           .type = Type::kInteger,
           .text = "The job is to end so many seconds after its first start "
                   "(status.autoscaling.firstStartTime; of `sumac run` its first attempt), time in "
                   "which it is suspended or stopped included. It trains on when that is past.",
           .minimum = 1,
           .maximum = 1'000'000'000,
           .only_with = OnlyWith{"policy", {"deadline"}}},
          cost(),
          {.name = "stabilizationSeconds",
           .type = Type::kInteger,
           .text = "How long a number of workers is observed before another one is chosen. It "
                   "takes the place of runPolicy.scaleCoolDownSeconds.",
           .minimum = 1,
           .maximum = 86'400,
           .schema_default = "60"}}};
}

}  // namespace sumac::job::internal
