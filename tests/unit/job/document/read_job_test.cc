#include <string>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "base/core/file.h"
#include "job/document/job.h"
#include "job/document/network_of.h"
#include "tests/support/golden.h"
#include "tests/unit/job/document/documents.h"

namespace sumac::job::read_job_test {
namespace {

/// Data in a folder whose path has so many characters of two bytes.
std::string ofCharacters(int count) {
  std::string folder;
  for (int i = 0; i < count; ++i)
    folder += "\u00e9";
  return "{format: idx, path: " + folder + "}";
}

std::string withThreeClasses(std::string_view model) {
  return replaced(replaced(kLenet, "{name: lenet5}", model), "{name: fashion-mnist-mini}",
                  "{format: generated, generated: {trainSamples: 1000, testSamples: 100, "
                  "shape: [1, 28, 28], classes: 3}}");
}

std::string withKernels(int batch, const std::string& kernels) {
  return replaced(kLenet, "batchSize: 128",
                  "batchSize: " + std::to_string(batch) + "\n    kernels: " + kernels);
}

std::string withMemory(const std::string& amount) {
  return replaced(kLenet, "  worker: {replicas: 2}",
                  "  worker: {replicas: 2, template: {spec: {containers: [{name: sumac, resources: "
                  "{limits: {memory: " +
                      amount + "}}}]}}}");
}

/// Of a job that can run.
Reading sound(std::string_view text) {
  Reading reading = readJob(text, "job.yaml", {}, /*needs_to_run=*/true);
  BOOST_TEST_REQUIRE(problemList(reading.problems) == "");
  return reading;
}

std::vector<std::string> warningsOf(std::string_view text) {
  return sound(text).warnings;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(read_job)

BOOST_AUTO_TEST_CASE(reads_a_whole_job_with_its_defaults) {
  const Reading reading = sound(kLenet);
  const TrainingJob& job = *reading.job;
  BOOST_TEST(job.name == "lenet5-fashion");
  BOOST_TEST(job.model.name == "lenet5");
  BOOST_TEST(job.data.name == "fashion-mnist-mini");
  BOOST_TEST(job.training.batch_size == 128);
  BOOST_TEST(job.training.epochs.value() == 5);
  BOOST_TEST(!job.training.steps.has_value());
  BOOST_TEST(job.training.seed == 1U);
  BOOST_TEST(job.training.logical_workers == 4);
  BOOST_TEST(job.training.optimizer.learning_rate == 0.1);
  BOOST_TEST(job.training.optimizer.momentum == 0.9);
  BOOST_TEST(job.training.clip_global_norm.value() == 5.0);
  BOOST_TEST(job.training.initializer.scale == 1.0);
  BOOST_TEST(job.worker.replicas == 2);
  BOOST_TEST(job.server.replicas == 1);
  BOOST_TEST(reading.warnings.empty());
}

BOOST_AUTO_TEST_CASE(reports_all_problems_at_once_with_their_positions) {
  const auto with = [](std::string_view what, std::string_view by) {
    return replaced(kLenet, what, by);
  };
  const auto ofKind = [&with](const std::string& kind) {
    return replaced(with("kind: TrainingJob", "kind: " + kind), "  model:", "  unknown:");
  };
  struct Case {
    const char* name;
    std::string text;
    std::string places;
  };
  const Case cases[] = {
      {"four fields",
       replaced(replaced(with("batchSize: 128", "batchsize: 128"), "\"0.1\"", "0x1"),
                "worker: {replicas: 2}", "worker: {replicas: 0}"),
       "9:5 spec.training.batchsize\n9:5 spec.training.batchSize\n"
       "12:42 spec.training.optimizer.learningRate\n14:22 spec.worker.replicas\n"},
      {"a roster that would not fit one message",
       replaced(with("worker: {replicas: 2}",
                     "worker: {replicas: 1025, minReplicas: 1, maxReplicas: 2000}"),
                "server: {replicas: 1}", "server: {replicas: 257}"),
       "14:22 spec.worker.replicas\n14:22 spec.worker.replicas\n14:57 spec.worker.maxReplicas\n"
       "14:57 spec.worker.maxReplicas\n15:22 spec.server.replicas\n"},
      {"control characters",
       replaced(with("{name: lenet5}", R"({name: "a\e[31m\x7f\x9b\n\u00e9"})"), "epochs: 5",
                R"("\a": 5)"),
       "6:17 spec.model.name\n9:5 spec.training\n10:5 spec.training.\a\n"},
      {"null", with("batchSize: 128", "batchSize: null"), "9:16 spec.training.batchSize\n"},
      {"an unavailable codec",
       replaced(with("  server: {replicas: 1}\n", ""), "  worker: {replicas: 2}",
                "  strategy: {exchange: allReduce, codec: int8}\n  worker: {replicas: 2}"),
       "14:42 spec.strategy.codec\n"},
      {"an unavailable codec comes first",
       with("  worker: {replicas: 2}",
            "  worker: {replicas: 2}\n  strategy: {exchange: allReduce, codec: int8}"),
       "15:42 spec.strategy.codec\n16:11 spec.server\n"},
      {"too many characters", replaced(kLenet, "{name: fashion-mnist-mini}", ofCharacters(1025)),
       "7:29 spec.data.path\n"},
      {"a kind of Kubernetes", ofKind("Deployment"), "2:7 kind\n"},
      {"another kind of ours", ofKind("Experiment"), "2:7 kind\n"},
      {"a misspelled kind", ofKind("trainingjob"), "2:7 kind\n"}};
  test::Transcript said;
  for (const auto& [name, text, places] : cases) {
    const Reading reading = readJob(text, "job.yaml", {}, true);
    BOOST_TEST(!reading.job.has_value(), name);
    BOOST_TEST(placesOf(reading.problems) == places, name);
    said.add(name, problemList(reading.problems));
  }
  test::checkGolden("job/document/read_job.txt", said.text());
}

// Everyone writes it so first. What came through JSON has lost its text.
BOOST_AUTO_TEST_CASE(takes_a_plain_number_of_a_file_for_a_decimal) {
  const std::string text = replaced(kLenet, "\"0.1\"", "0.1");

  const Reading reading = readJob(text, "job.yaml", {}, false);

  BOOST_REQUIRE_MESSAGE(reading.job, problemList(reading.problems));
  BOOST_TEST(reading.job->training.optimizer.learning_rate == 0.1);
  BOOST_TEST((*reading.document)["spec"]["training"]["optimizer"]["learningRate"] == "0.1");
  BOOST_TEST(reading.unquoted == "spec.training.optimizer.learningRate");
  BOOST_TEST(readJob(kLenet, "job.yaml", {}, false).unquoted == "");
}

BOOST_AUTO_TEST_CASE(refuses_a_number_that_came_through_json) {
  nlohmann::ordered_json job = *readJob(kLenet, "job.yaml", {}, false).document;
  job["spec"]["training"]["optimizer"]["learningRate"] = 0.1;

  const Reading reading = readJob(JsonTree(job), "job", {}, false);

  BOOST_TEST(placesOf(reading.problems).ends_with(" spec.training.optimizer.learningRate\n"));
}

BOOST_AUTO_TEST_CASE(refuses_what_is_not_available_only_where_the_job_is_to_run) {
  const std::string text =
      replaced(replaced(kLenet, "  server: {replicas: 1}\n", ""), "  worker: {replicas: 2}",
               "  strategy: {exchange: allReduce, codec: int8}\n  worker: {replicas: 2}");

  BOOST_TEST(readJob(text, "job.yaml", {}, false).job.has_value());
  BOOST_TEST(!readJob(text, "job.yaml", {}, true).job.has_value());
}

BOOST_AUTO_TEST_CASE(a_job_whose_workers_sum_has_no_servers) {
  const std::pair<std::string, std::optional<ExchangeMethod>> cases[] = {
      {"topology: decentralized", ExchangeMethod::kDecentralized},
      {"exchange: allReduce", std::nullopt},
      {"exchange: allReduce, algorithm: auto", std::nullopt},
      {"exchange: allReduce, algorithm: direct", ExchangeMethod::kDirect},
      {"exchange: allReduce, algorithm: scatterGather", ExchangeMethod::kScatterGather},
      {"exchange: allReduce, algorithm: ring", ExchangeMethod::kRing},
      {"exchange: allReduce, algorithm: halvingDoubling", ExchangeMethod::kHalvingDoubling}};
  for (const auto& [strategy, method] : cases) {
    BOOST_TEST_CONTEXT(strategy) {
      const std::string text =
          replaced(kLenet, "  server: {replicas: 1}\n", "  strategy: {" + strategy + "}\n");

      const Reading reading = sound(text);
      BOOST_TEST((reading.job->strategy.method == method));
      BOOST_TEST(!reading.job->strategy.hasServers());
      BOOST_TEST(reading.job->server.replicas == 0);
      BOOST_TEST(!reading.resolved->at("spec").contains("server"), reading.resolved.text());
      BOOST_TEST((readJob(reading.resolved, "job.yaml", {}, true).resolved == reading.resolved));
    }
  }
}

BOOST_AUTO_TEST_CASE(reads_what_is_done_to_samples) {
  const std::string text =
      replaced(kLenet, "{name: fashion-mnist-mini}",
               "{format: folder, path: /data, resize: [28, 28], channels: 1, validation: \"0.1\", "
               "normalize: meanStd, augment: {flip: true, crop: 4, rotate: 15}}");

  const Reading reading = sound(text);
  const DataSpec& data = reading.job->data;
  BOOST_TEST(toString(*data.format) == "folder");
  BOOST_TEST(data.resize->height == 28);
  BOOST_TEST(data.resize->width == 28);
  BOOST_TEST(data.channels == 1);
  BOOST_TEST(data.validation == 0.1);
  BOOST_TEST((data.normalize == Normalize::kMeanStd));
  BOOST_TEST(data.augment.flip);
  BOOST_TEST(data.augment.crop == 4);
  BOOST_TEST(data.augment.rotate == 15);
}

BOOST_AUTO_TEST_CASE(does_nothing_to_samples_by_default_but_normalizes_tables) {
  const auto read = [](const std::string& data) {
    const std::string network =
        "{input: [7], layers: [{type: dense, outputs: 3}, {type: softmaxCrossEntropy}]}";
    return sound(replaced(replaced(kLenet, "{name: fashion-mnist-mini}", data), "{name: lenet5}",
                          network))
        .job->data;
  };

  const DataSpec arrays = read("{format: npy, path: /data}");
  BOOST_TEST(!arrays.resize);
  BOOST_TEST(arrays.label == "");
  BOOST_TEST(arrays.validation == 0);
  BOOST_TEST((arrays.normalize == Normalize::kNone));
  BOOST_TEST(arrays.augment.isNone());
  const DataSpec table = read("{format: csv, path: /data}");
  BOOST_TEST(table.label == "label");
  BOOST_TEST((table.normalize == Normalize::kMeanStd));
  BOOST_TEST((read("{format: csv, path: /data, normalize: none}").normalize == Normalize::kNone));
}

BOOST_AUTO_TEST_CASE(a_network_of_the_zoo_takes_the_number_of_classes) {
  const std::string data = "{format: cifar100, path: /data}";
  const std::string text =
      replaced(replaced(kLenet, "{name: lenet5}", "{name: cifar10-quick, classes: 100}"),
               "{name: fashion-mnist-mini}", data);

  const Reading reading = sound(text);
  BOOST_TEST(networkOf(*reading.job)->classes == 100);
  BOOST_TEST(reading.warnings.empty());
}

BOOST_AUTO_TEST_CASE(does_not_warn_of_outputs_where_the_network_has_as_many_as_the_data) {
  BOOST_TEST(warningsOf(withThreeClasses("{name: lenet5, classes: 3}")).empty());
}

BOOST_AUTO_TEST_CASE(a_job_whose_servers_sum_has_them) {
  const Reading reading = sound(replaced(kLenet, "  server: {replicas: 1}\n", ""));
  BOOST_TEST(reading.job->strategy.hasServers());
  BOOST_TEST(reading.job->server.replicas == 1);
}

BOOST_AUTO_TEST_CASE(encrypts_unless_the_document_waives_it) {
  const std::string asked = std::string(kLenet) + "  security: {transport: curve}\n";
  const std::string waived = std::string(kLenet) + "  security: {transport: none}\n";

  BOOST_TEST((readJob(asked, "job.yaml", {}, true).job->transport == Transport::kCurve));
  BOOST_TEST((readJob(waived, "job.yaml", {}, true).job->transport == Transport::kNone));
  BOOST_TEST((readJob(kLenet, "job.yaml", {}, true).job->transport == Transport::kCurve));
}

BOOST_AUTO_TEST_CASE(null_counts_as_absent_as_it_does_to_the_api_server) {
  const std::string text =
      replaced(replaced(std::string(kLenet) + "  suspend: null\n  runPolicy:\n  output: null\n",
                        "clip: {", "seed: null\n    clip: {value: null, "),
               "{replicas: 2}", "{replicas: 2, template: {metadata: {labels: {a: null, b: c}}}}");
  const Reading reading = sound(text);
  BOOST_TEST(reading.resolved.text().find("null") == std::string::npos, reading.resolved.text());
}

BOOST_AUTO_TEST_CASE(large_numbers_of_a_template_are_those_of_kubectl) {
  const std::string text =
      replaced(kLenet, "{replicas: 2}",
               "{replicas: 2, template: {spec: {a: 0xFFFFFFFFFFFFFFFF, b: 1e999, c: \"\\N\"}}}");
  const std::string document = readJob(text, "job.yaml", {}, true).document.text();
  BOOST_TEST(document.find("\"a\": 18446744073709551615") != document.npos, document);
  BOOST_TEST(document.find("\"b\": \"1e999\"") != document.npos, document);
  BOOST_TEST(document.find("\"c\": \"\u0085\"") != document.npos, document);
}

BOOST_AUTO_TEST_CASE(counts_characters_and_not_bytes) {
  const std::string text = replaced(kLenet, "{name: fashion-mnist-mini}", ofCharacters(1024));

  BOOST_TEST(problemList(readJob(text, "job.yaml", {}, true).problems) == "");
}

BOOST_AUTO_TEST_CASE(keeps_the_layers_of_the_job_s_own_network) {
  const std::string text =
      replaced(kLenet, "{name: lenet5}",
               "{input: [1, 28, 28], layers: [{type: flatten}, {type: dense, outputs: 10}, {type: "
               "softmaxCrossEntropy}]}");

  const Reading reading = sound(text);
  BOOST_TEST(reading.job->model.name == "");
  BOOST_TEST(reading.job->model.network->layers.size() == 3U);
}

BOOST_AUTO_TEST_CASE(reads_generated_data_of_both_kinds) {
  const auto data = [](std::string_view model, std::string_view generated) {
    return sound(replaced(replaced(kLenet, "{name: lenet5}", model), "{name: fashion-mnist-mini}",
                          "{format: generated, generated: " + std::string(generated) + "}"))
        .job->data.generated.value();
  };

  const GeneratedData images = data(
      "{name: lenet5}", "{trainSamples: 900, testSamples: 5, shape: [1, 28, 28], classes: 10}");
  BOOST_TEST(images.train_samples == 900);
  BOOST_TEST(images.test_samples == 5);
  BOOST_TEST(model::toString(images.shape) == "1x28x28");
  BOOST_TEST(images.classes == 10);
  BOOST_TEST(images.vocabulary == 0);

  const GeneratedData text =
      data("{name: ptb-lstm-small}", "{trainTokens: 20000, testTokens: 200, vocabulary: 100}");
  BOOST_TEST(text.train_tokens == 20000);
  BOOST_TEST(text.test_tokens == 200);
  BOOST_TEST(text.vocabulary == 100);
  BOOST_TEST(text.shape.empty());
}

BOOST_AUTO_TEST_CASE(warns_of_what_is_slow_or_of_no_effect_and_names_better_numbers) {
  const std::pair<const char*, std::string> cases[] = {
      {"idle outputs of the zoo", withThreeClasses("{name: lenet5}")},
      {"idle outputs of layers",
       withThreeClasses("{input: [1, 28, 28], layers: [{type: flatten}, {type: dense, outputs: 4, "
                        "name: last}, {type: softmaxCrossEntropy}]}")},
      {"small parts", replaced(kLenet, "batchSize: 128", "batchSize: 48")},
      {"small parts for avx2", withKernels(31, "avx2")},
      // No mini-batch larger than the data is named.
      {"many parts", replaced(kLenet, "logicalWorkers: 4", "logicalWorkers: 64")},
      {"uneven blocks", replaced(kLenet, "worker: {replicas: 2}", "worker: {replicas: 3}")},
      {"an odd amount", withMemory("512mi")}};
  test::Transcript said;
  for (const auto& [name, text] : cases) {
    const auto warnings = warningsOf(text);
    BOOST_TEST_REQUIRE(warnings.size() == 1U, name);
    said.add(name, warnings.front());
  }
  test::checkGolden("job/document/warnings.txt", said.text());
}

BOOST_AUTO_TEST_CASE(warns_of_parts_by_the_lanes_of_the_kernels_that_the_job_asks_for) {
  BOOST_TEST(warningsOf(withKernels(64, "avx512")).empty());
  BOOST_TEST(warningsOf(withKernels(63, "avx512")).size() == 1U);
  BOOST_TEST(warningsOf(withKernels(32, "avx2")).empty());
  BOOST_TEST(warningsOf(withKernels(16, "baseline")).empty());
  BOOST_TEST(warningsOf(withKernels(15, "baseline")).size() == 1U);
}

BOOST_AUTO_TEST_CASE(does_not_warn_of_few_streams_of_text) {
  const std::string text = replaced(replaced(replaced(kLenet, "batchSize: 128", "batchSize: 20"),
                                             "{name: lenet5}", "{name: ptb-lstm-small}"),
                                    "{name: fashion-mnist-mini}", "{format: text, path: /data}");

  BOOST_TEST(warningsOf(text).empty());
}

BOOST_AUTO_TEST_CASE(warns_of_fields_that_kubernetes_would_drop_from_the_pods) {
  const std::string text =
      replaced(replaced(kLenet, "  worker: {replicas: 2}",
                        "  worker:\n    replicas: 2\n    template: {spec: {containers: [{name: "
                        "sumac, resource: {}}], nodeSelectors: {a: b}}}"),
               "server: {replicas: 1}",
               "server: {template: {spec: {initContainers: [{imag: x}], quark: 1, hostname: a}}}");

  const Reading reading = readJob(text, "job.yaml", {}, false);

  BOOST_TEST(problemList(reading.problems) == "");
  test::Transcript said;
  for (const std::string& warning : reading.warnings)
    said.add("a field", warning);
  test::checkGolden("job/document/dropped_fields.txt", said.text());
}

BOOST_AUTO_TEST_CASE(warns_of_amounts_that_kubernetes_does_not_read) {
  for (const char* const good : {"2", "0.5", "500m", "512Mi", "1e9", "1E-3", "'.5'", "2E", "1.5Gi"})
    BOOST_TEST(warningsOf(withMemory(good)).empty(), good);
  for (const char* const bad : {"512mi", "512MB", "Mi", "1..5", "1e", "'5 Gi'", "''"})
    BOOST_TEST(warningsOf(withMemory(bad)).size() == 1U, bad);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::job::read_job_test
