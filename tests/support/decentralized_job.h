#pragma once

#include <string>

namespace sumac {

/// The document of a job without servers: LeNet-5 of 128 samples in four parts, by so many workers.
inline std::string decentralizedJob(int workers) {
  return "apiVersion: sumac.dev/v1alpha1\n"
         "kind: TrainingJob\n"
         "metadata: {name: test}\n"
         "spec:\n"
         "  model: {name: lenet5}\n"
         "  data: {name: fashion-mnist-mini}\n"
         "  training:\n"
         "    batchSize: 128\n"
         "    epochs: 5\n"
         "    logicalWorkers: 4\n"
         "    optimizer: {name: sgd, learningRate: \"0.1\"}\n"
         "  strategy: {topology: decentralized}\n"
         "  worker: {replicas: " +
         std::to_string(workers) + "}\n";
}

}  // namespace sumac
