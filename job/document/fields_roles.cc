#include "job/document/field.h"
#include "job/document/limits.h"
#include "job/document/rule_tools.h"

namespace sumac::job::internal {

namespace {

/// What our rules read of a PodSpec; Kubernetes checks it.
Field podSpec() {
  return {.name = "spec",
          .text = "PodSpec of Kubernetes, which checks the fields that are not listed here.",
          .open = true,
          .fields = {{.name = "containers",
                      .type = Type::kList,
                      .text = "Containers of the pods.",
                      .max_length = 64,
                      .fields = {{.name = "container",
                                  .text = "A container.",
                                  .open = true,
                                  .fields = {{.name = "name",
                                              .type = Type::kString,
                                              .text = "Its name; sumac for the main one.",
                                              .required = true},
                                             {.name = "image",
                                              .type = Type::kString,
                                              .text = "Its image.",
                                              .max_length = 1024}}}}}}};
}

}  // namespace

Field podTemplate() {
  return {
      .name = "template",
      .text =
          "PodTemplateSpec, merged over the chart's default; the container `sumac` is the "
          "main one and need not be given.",
      .change = Change::kWhileSuspended,
      .fields = {
          {.name = "metadata",
           .text = "Labels and annotations of the pods.",
           .open = true,
           .fields = {{.name = "labels", .type = Type::kStringMap, .text = "Labels of the pods."},
                      {.name = "annotations",
                       .type = Type::kStringMap,
                       .text = "Annotations of the pods."}}},
          podSpec()}};
}

Field workerSection() {
  return {
      .name = "worker",
      .text = "The processes that compute gradients.",
      .schema_default = "{}",
      .rules = {{"has(self.minReplicas) == has(self.maxReplicas)",
                 "minReplicas and maxReplicas must be given together",
                 [](const yaml::Node& self) {
                   return has(self, "minReplicas") == has(self, "maxReplicas");
                 }},
                {"!has(self.minReplicas) || !has(self.maxReplicas) || "
                 "self.minReplicas <= self.maxReplicas",
                 "minReplicas must be <= maxReplicas",
                 [](const yaml::Node& self) {
                   return ordered(integerIn(self, "minReplicas"), integerIn(self, "maxReplicas"));
                 },
                 "minReplicas", "maxReplicas"}},
      .fields = {
          {.name = "replicas",
           .type = Type::kInteger,
           .text = "Workers. Changes within minReplicas..maxReplicas at any time; without these, "
                   "only while suspended.",
           .minimum = 1,
           .maximum = kMostWorkers,
           .schema_default = "1"},
          {.name = "minReplicas",
           .type = Type::kInteger,
           .text = "Minimum number of workers of an elastic job; given together with maxReplicas. "
                   "Where members may change, the job begins with so many if no more come for "
                   "30 s.",
           .minimum = 1,
           .maximum = kMostWorkers,
           .change = Change::kNever},
          {.name = "maxReplicas",
           .type = Type::kInteger,
           .text = "Maximum number of workers of an elastic job; given together with minReplicas.",
           .minimum = 1,
           .maximum = kMostWorkers,
           .change = Change::kNever},
          podTemplate(),
      }};
}

Field serverSection() {
  return {.name = "server",
          .text =
              "The processes that sum gradients; only with exchange parameterServer, topology "
              "centralized.",
          .resolver_default = "{}",
          .fields = {{.name = "replicas",
                      .type = Type::kInteger,
                      .text = "Servers; each sums its share of the gradient.",
                      .minimum = 1,
                      .maximum = kMostServers,
                      .resolver_default = "1",
                      .change = Change::kNever},
                     podTemplate()}};
}

}  // namespace sumac::job::internal
