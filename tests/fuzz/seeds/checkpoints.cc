// Checkpoints and models.
#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/core/check.h"
#include "engine/checkpoint/content.h"
#include "engine/checkpoint/file_tensors.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/model_file/model_file.h"
#include "tests/fuzz/harness/networks.h"
#include "tests/fuzz/seeds/corpus.h"

namespace sumac::fuzz {
namespace {

void addTensors(const Corpus& corpus) {
  const model::Network two = checkpoint::fileTensors(twoTensors());
  std::vector<float> values(static_cast<std::size_t>(two.parameters));
  std::iota(values.begin(), values.end(), -1.5F);
  const Bytes file = checkpoint::encodeSafetensors(two, values, {{"step", "42"}});
  corpus.add("safetensors", "two_tensors", file);
  corpus.add("safetensors", "two_tensors_without_metadata",
             checkpoint::encodeSafetensors(two, values, {}));
  const model::Network lstm = checkpoint::fileTensors(smallLstm());
  std::vector<float> weights(static_cast<std::size_t>(lstm.parameters), -0.0F);
  corpus.add("safetensors", "lstm", checkpoint::encodeSafetensors(lstm, weights, {}));
  corpus.add("safetensors", "cut_in_the_length", firstOf(file, 7));
  corpus.add("safetensors", "cut_in_the_values", firstOf(file, file.size() - 1));
  Bytes huge = file;
  std::fill_n(huge.begin(), 8, std::byte{0xFF});
  corpus.add("safetensors", "header_longer_than_the_file", huge);
}

worker::ModelDescription describe(model::NetworkSpec spec, worker::ModelTask task) {
  worker::ModelDescription description;
  description.spec = std::move(spec);
  description.task = task;
  description.evaluation = {.max_samples = 4, .summed_samples = 8, .batch_size = 2, .unroll = 1};
  return description;
}

void addModel(const Corpus& corpus, const std::string& name,
              const worker::ModelDescription& description) {
  const auto network = model::resolve(description.spec);
  SUMAC_CHECK(network.has_value(), name);
  const std::vector<float> weights(static_cast<std::size_t>(network->parameters), 0.5F);
  const std::vector<float> statistics(static_cast<std::size_t>(network->statistics), 1.0F);
  const Bytes file = worker::encodeModelFile(description, *network, weights, statistics);
  corpus.add("model", name, file);
  corpus.add("model", name + "_cut", firstOf(file, file.size() - 1));
}

void addModels(const Corpus& corpus) {
  using model::SoftmaxCrossEntropy;
  auto images = describe({"custom",
                          {2, 2, 2},
                          {{"conv", model::Conv2d{.outputs = 1, .kernel = 1}, {}},
                           {"norm", model::BatchNorm{}, {}},
                           {"fc", model::Dense{2}, {}},
                           {"loss", SoftmaxCrossEntropy{}, {}}},
                          0},
                         worker::ModelTask::kImages);
  images.spec.layers.insert(images.spec.layers.begin() + 2, {"flat", model::Flatten{}, {}});
  images.classes = 2;
  images.class_names = {"cat", "\xFF"};
  images.normalization = {.mean = {0.5F, 0.25F}, .deviation = {1.0F, 0.1F}};
  images.pictures.resize = worker::PictureSize{2, 2};
  addModel(corpus, "images", images);
  auto table = describe(
      {"table", {3}, {{"fc", model::Dense{2}, {}}, {"loss", SoftmaxCrossEntropy{}, {}}}, 0},
      worker::ModelTask::kTable);
  table.classes = 2;
  table.columns = {"kind", {{"a"}, {"b", worker::CsvKind::kCategorical, {"x", "y"}}}};
  addModel(corpus, "table", table);
  auto text = describe({"text",
                        {2},
                        {{"words", model::Embedding{2}, {}},
                         {"lstm1", model::Lstm{2}, {}},
                         {"fc", model::Dense{0}, {}},
                         {"loss", SoftmaxCrossEntropy{}, {}}},
                        3},
                       worker::ModelTask::kText);
  text.vocabulary = {"<eos>", "<unk>", "a"};
  addModel(corpus, "text", text);
}

checkpoint::Manifest someManifest() {
  checkpoint::State state;
  const model::Network network = smallLstm();
  const auto count = static_cast<std::size_t>(network.parameters);
  state.step = 500;
  state.weights.resize(count);
  state.optimizer["momentum"].resize(count);
  state.recurrent.resize(4);
  state.plan_hash = std::string(64, 'a');
  state.numerics = "3 avx2";
  return checkpoint::contentOf(network, state).manifest;
}

void addManifests(const Corpus& corpus) {
  checkpoint::Manifest manifest = someManifest();
  corpus.add("manifest", "part_state.json", manifest.text());
  manifest.recurrent = 0;
  corpus.add("manifest", "no_part_state.json", manifest.text());
  manifest.optimizer.assign(9, "momentum");
  corpus.add("manifest", "too_many_vectors.json", manifest.text());
  manifest.optimizer.clear();
  corpus.add("manifest", "no_optimizer.json", manifest.text());
  manifest.model.name = "../model.safetensors";
  corpus.add("manifest", "file_elsewhere.json", manifest.text());
  manifest.format = 4;
  corpus.add("manifest", "later_format.json", manifest.text());
  std::string flipped = someManifest().text();
  flipped[flipped.find("avx2")] = 'b';
  corpus.add("manifest", "flipped_bit.json", flipped);
  corpus.add("manifest", "cut.json", flipped.substr(0, flipped.size() / 2));
}

}  // namespace

void addCheckpoints(const Corpus& corpus) {
  addTensors(corpus);
  addModels(corpus);
  addManifests(corpus);
}

}  // namespace sumac::fuzz
