// Writes the inputs of tests/fuzz/corpus that the project's own encoders make, from the root of the
// repository: sumac_fuzz_seeds FOLDER. The same each time. Those that people write are text files
// beside them.
#include <filesystem>
#include <iostream>
#include <map>
#include <numeric>
#include <string>

#include <nlohmann/json.hpp>

#include "base/core/file.h"
#include "base/keys/job_keys.h"
#include "base/keys/key_pair.h"
#include "base/yaml/reader.h"
#include "engine/checkpoint/content.h"
#include "engine/checkpoint/file_tensors.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/data/data_files.h"
#include "engine/data/generated.h"
#include "engine/data/gzip.h"
#include "engine/data/idx_images.h"
#include "engine/model_file/model_file.h"
#include "exchange/membership/join_request.h"
#include "exchange/membership/roster.h"
#include "exchange/wire/codec.h"
#include "exchange/wire/suspect.h"
#include "exchange/wire/zero_blocks.h"
#include "job/document/json.h"
#include "job/progress/job_event.h"
#include "job/progress/job_result.h"
#include "kube/api/json.h"
#include "tests/fuzz/harness/files.h"
#include "tests/fuzz/harness/networks.h"
#include "tests/fuzz/harness/printed.h"
#include "tests/support/pictures/picture_files.h"
#include "tests/support/progress_of.h"

namespace sumac::fuzz {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

Bytes bytesOf(std::string_view text) {
  const BytesView view = asBytes(text);
  return {view.begin(), view.end()};
}

Bytes concatenated(std::initializer_list<BytesView> parts) {
  Bytes all;
  for (const BytesView part : parts)
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

Bytes firstOf(const Bytes& bytes, std::size_t count) {
  return {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count)};
}

class Corpus {
 public:
  explicit Corpus(fs::path folder) : folder_(std::move(folder)) {}

  void add(const std::string& target, const std::string& name, BytesView content) const {
    fs::create_directories(folder_ / target);
    writeFile(folder_ / target / name, content);
  }
  void add(const std::string& target, const std::string& name, const std::string& text) const {
    add(target, name, asBytes(text));
  }

 private:
  fs::path folder_;
};

// --- Messages

Roster someRoster(int workers, int servers) {
  Roster roster;
  roster.order = {1, 2};
  for (int i = 0; i < servers; ++i)
    roster.members.push_back({{{Role::kServer, i}, 200U + static_cast<Incarnation>(i)},
                              "tcp://10.0.0." + std::to_string(i) + ":7070"});
  for (int i = 0; i < workers; ++i)
    roster.members.push_back({{{Role::kWorker, i}, 100U + static_cast<Incarnation>(i)}, ""});
  roster.start_step = 500;
  roster.kernels = "avx2";
  roster.shards = ShardMap::ofOwners(ExchangeMethod::kServers, {0, 0, servers - 1});
  return roster;
}

void addMembership(const Corpus& corpus) {
  corpus.add("roster", "one_worker.json", toJson(someRoster(1, 1)));
  corpus.add("roster", "three_workers_two_servers.json", toJson(someRoster(3, 2)));
  Roster changed = someRoster(4, 1);
  changed.writer = {Role::kWorker, 2};
  changed.evaluated = 400;
  changed.sources = {{{Role::kWorker, 0}, {Role::kWorker, 2}},
                     {{Role::kWorker, 1}, {Role::kWorker, 0}},
                     {{Role::kWorker, 3}, {Role::kWorker, 2}}};
  corpus.add("roster", "changed_members.json", toJson(changed));
  Roster text = someRoster(2, 1);
  text.vocabulary = kLargestVocabulary;
  corpus.add("roster", "largest_vocabulary.json", toJson(text));
  Roster chosen = someRoster(2, 0);
  chosen.shards = ShardMap::ofOwners(ExchangeMethod::kDirect, {0, 0, 0});
  chosen.choice = MethodChoice{
      .links = 1,
      .predicted = {{ExchangeMethod::kDirect, 0.5}, {ExchangeMethod::kScatterGather, 0.75}}};
  corpus.add("roster", "chosen_algorithm.json", toJson(chosen));
  JoinRequest worker;
  worker.plan_text = "batchSize=64\nlogicalWorkers=4\nmodel=ab12\n";
  worker.kernels = {"baseline", "avx2"};
  worker.newest_checkpoint = 500;
  worker.vocabulary = 10'000;
  worker.description = "Intel(R) Xeon(R), 0.1.0";
  worker.add_rate = 20'000'000'000;
  worker.algorithm = "halvingDoubling";
  worker.steps = 2000;
  corpus.add("joinRequest", "worker.json", toJson(worker));
  worker.followed = Followed{.order = {1, 2},
                             .members = {},
                             .kernels = "avx2",
                             .evaluated = 400,
                             .has_halted = true,
                             .done = 512};
  for (const RosterEntry& entry : someRoster(3, 2).members)
    worker.followed->members.push_back(entry.member);
  corpus.add("joinRequest", "followed.json", toJson(worker));
  JoinRequest server;
  server.plan_text = "batchSize=64\n";
  server.endpoint = "tcp://10.0.0.1:7070";
  corpus.add("joinRequest", "server.json", toJson(server));
}

wire::Header someHeader(wire::MessageType type) {
  wire::Header header;
  header.type = type;
  header.job = 0x0123456789ABCDEF;
  header.term = 1;
  header.generation = 2;
  header.sender = {{Role::kWorker, 3}, 0xFEDCBA9876543210};
  header.sequence = 7;
  header.acknowledged = 4096;
  header.connection = 1;
  header.step = 42;
  return header;
}

Bytes framed(BytesView frame, BytesView payload) {
  const auto length = static_cast<std::byte>(frame.size() % 256);
  return concatenated({BytesView(&length, 1), frame, payload});
}

void addHeaders(const Corpus& corpus) {
  const Bytes values(16, std::byte{0x3F});
  for (int number = 1; number <= static_cast<int>(wire::MessageType::kSuspect); ++number) {
    const auto type = static_cast<wire::MessageType>(number);
    if (wire::toString(type) == "unknown") continue;  // of a version that is gone
    wire::Header header = someHeader(type);
    Bytes payload;
    if (type == wire::MessageType::kPush || type == wire::MessageType::kSum ||
        type == wire::MessageType::kTotal || type == wire::MessageType::kState) {
      payload = values;
      header.range = 5;
      header.first = 1000;
      header.count = 4;
      header.node = {2, 4};
    } else if (type == wire::MessageType::kRoster) {
      payload = bytesOf(toJson(someRoster(2, 1)));
    } else if (type == wire::MessageType::kSuspect) {
      wire::setSuspect(header, {Role::kWorker, 5});
    } else if (type == wire::MessageType::kAbort) {
      payload = bytesOf("lost worker 3");
      header.value = 1;
    }
    const auto frame = wire::encode(header, payload);
    corpus.add("header", std::string(wire::toString(type)), framed(frame, payload));
  }
  wire::Header coded = someHeader(wire::MessageType::kSum);
  coded.count = 8;
  coded.codec = Codec::kBf16;
  corpus.add("header", "sum_bf16", framed(wire::encode(coded, values), values));
  Bytes few(256);
  few[40] = std::byte{1};
  const Bytes sparse = wire::withoutZeroBlocks(few).value();
  coded.count = 64;
  coded.codec = Codec::kFp32;
  coded.is_sparse = true;
  corpus.add("header", "sum_without_zeros", framed(wire::encode(coded, sparse), sparse));
  const auto frame = wire::encode(someHeader(wire::MessageType::kHeartbeat), {});
  const Bytes good(frame.begin(), frame.end());
  corpus.add("header", "one_byte_short", framed(firstOf(good, 127), {}));
  corpus.add("header", "payload_that_the_header_has_not", framed(good, values));
  Bytes longer = good;
  longer.resize(wire::kMaxHeaderSize);
  corpus.add("header", "fields_of_a_later_minor_version", framed(longer, {}));
  for (const auto& [name, at] :
       std::map<std::string, std::size_t>{{"bad_magic", 0},
                                          {"other_major_version", 4},
                                          {"unknown_type", 7},
                                          {"unknown_role", 23},
                                          {"negative_step", 63},
                                          {"node_beyond_the_most_parts", 103},
                                          {"unknown_element", 84},
                                          {"bad_checksum", 124}}) {
    Bytes changed = good;
    changed[at] = std::byte{0xFF};
    corpus.add("header", name, framed(changed, {}));
  }
  Bytes nobody = good;
  std::fill_n(nobody.begin() + 24, 8, std::byte{0});
  corpus.add("header", "no_incarnation", framed(nobody, {}));
}

// --- Keys

void addKeys(const Corpus& corpus) {
  std::string all;
  std::map<std::string, std::string> private_text;
  for (const auto& [name, first] :
       std::map<std::string, int>{{"server-0", 1}, {"worker-0", 2}, {"worker-4095", 3}}) {
    Bytes bytes(kKeySize, static_cast<std::byte>(first));
    const PrivateKey key(bytes);
    private_text[name] = key.text();
    all += name + " " + toText(publicKeyOf(key)) + "\n";
  }
  const std::string& own = private_text["worker-0"];
  corpus.add("keys", "worker_0", own + "\n" + all);
  corpus.add("keys", "server_0", private_text["server-0"] + "\n" + all);
  corpus.add("keys", "no_end_of_line", own + "\n" + all.substr(0, all.size() - 1));
  corpus.add("keys", "slot_twice", own + "\n" + all + all);
  corpus.add("keys", "empty_line", own + "\n\n" + all);
  corpus.add("keys", "cut_key", own + "\n" + all.substr(0, all.size() - 2));
  corpus.add("keys", "key_of_another_slot", private_text["worker-4095"] + "\n" + all);
  corpus.add("keys", "slot_beyond_the_most", own + "\n" + all + "worker-4096 " + own + "\n");
  corpus.add("keys", "zero_before_the_index", own + "\nworker-00 " + own + "\n");
  corpus.add("keys", "group_beyond_32_bits", std::string(kKeyTextLength, '#') + "\n" + all);
}

// --- Data

worker::Images cut(worker::Images images, std::size_t samples) {
  for (worker::Samples* split : {&images.train, &images.test}) {
    const auto size = static_cast<std::size_t>(model::count(split->shape));
    split->labels.resize(samples);
    split->pixels.resize(samples * size);
  }
  return images;
}

worker::Images smallImages(model::Shape shape) {
  worker::ImageRecipe recipe;
  recipe.train_samples = 3;
  recipe.test_samples = 2;
  recipe.shape = std::move(shape);
  auto images = worker::generateImages(recipe);
  SUMAC_CHECK(images.has_value(), images ? "" : images.error().message);
  return *std::move(images);
}

std::vector<Bytes> contentsOf(const std::vector<worker::NamedFile>& files) {
  std::vector<Bytes> contents;
  for (const worker::NamedFile& file : files)
    contents.push_back(file.content);
  return contents;
}

void addIdx(const Corpus& corpus) {
  const auto real = worker::loadIdxImages("examples/data/fashion-mnist-mini");
  SUMAC_CHECK(real.has_value(), real ? "" : real.error().message);
  const auto plain = contentsOf(worker::idxFiles(cut(*real, 1), worker::Compression::kNone));
  const auto packed = contentsOf(worker::idxFiles(cut(*real, 2), worker::Compression::kGzip));
  corpus.add("idx", "fashion_images", plain[0]);
  corpus.add("idx", "fashion_labels", plain[1]);
  corpus.add("idx", "fashion_images.gz", packed[0]);
  corpus.add("idx", "fashion_labels.gz", packed[1]);
  corpus.add("images", "fashion", joined(plain));
  corpus.add("images", "fashion_gz", joined(packed));

  auto small = contentsOf(worker::idxFiles(smallImages({1, 2, 3}), worker::Compression::kNone));
  corpus.add("images", "small", joined(small));
  corpus.add("images", "labels_of_another_number",
             joined({small[0], small[3], small[2], small[3]}));
  corpus.add("images", "no_test_images", joined({small[0], small[1], {}, small[3]}));
  auto wide = contentsOf(worker::idxFiles(smallImages({1, 2, 4}), worker::Compression::kNone));
  corpus.add("images", "test_images_of_another_shape",
             joined({small[0], small[1], wide[2], wide[3]}));
  Bytes label_ten = small[1];
  label_ten.back() = std::byte{10};
  corpus.add("images", "label_of_no_class", joined({small[0], label_ten, small[2], small[3]}));

  const Bytes& file = small[0];
  corpus.add("idx", "small", file);
  corpus.add("idx", "cut_in_the_header", firstOf(file, 7));
  corpus.add("idx", "cut_in_the_values", firstOf(file, file.size() - 1));
  corpus.add("idx", "bytes_after_the_values", concatenated({file, asBytes("x")}));
  Bytes huge = file;
  std::fill_n(huge.begin() + 4, 12, std::byte{0xFF});
  corpus.add("idx", "extents_that_overflow", huge);
  Bytes large = file;
  large[4] = std::byte{0x10};
  corpus.add("idx", "more_values_than_bytes", large);
  Bytes none = firstOf(file, 16);
  std::fill_n(none.begin() + 4, 4, std::byte{0});
  corpus.add("idx", "no_samples", none);
  Bytes floats = file;
  floats[2] = std::byte{0x0D};
  corpus.add("idx", "values_of_floats", floats);
  const Bytes packed_file = worker::gzip(file);
  corpus.add("idx", "small.gz", packed_file);
  corpus.add("idx", "cut.gz", firstOf(packed_file, packed_file.size() / 2));
  corpus.add("idx", "two_members.gz", concatenated({packed_file, packed_file}));
  corpus.add("idx", "bytes_after_the_end.gz", concatenated({packed_file, asBytes("x")}));
  Bytes damaged = packed_file;
  damaged[damaged.size() - 6] ^= std::byte{1};
  corpus.add("idx", "bad_checksum.gz", damaged);
  Bytes bomb(1UL << 20U);
  storeLittleEndian(bomb.data(), std::uint32_t{0x01080000});
  corpus.add("idx", "mostly_zeros.gz", worker::gzip(bomb));
}

void addCifar(const Corpus& corpus) {
  constexpr std::size_t kRecord = 3073;
  const auto files = contentsOf(worker::cifar10Files(smallImages({3, 32, 32})));
  Bytes one = firstOf(files[0], kRecord);
  std::fill(one.begin() + 64, one.end(), std::byte{0});
  const Bytes names =
      bytesOf("airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n");
  corpus.add("cifar10", "generated", joined({files[0], {}, files[1], {}}));
  corpus.add("cifar10", "names", joined({one, one, one, names}));
  corpus.add("cifar10", "nine_names",
             joined({one, {}, one, bytesOf("1\n2\n3\n4\n5\n6\n7\n8\n9\n")}));
  corpus.add("cifar10", "no_test_file", joined({one, one, {}, {}}));
  corpus.add("cifar10", "no_training_file", joined({{}, {}, one, {}}));
  corpus.add("cifar10", "cut_record", joined({firstOf(one, kRecord - 1), {}, one, {}}));
  Bytes ten = one;
  ten[0] = std::byte{10};
  corpus.add("cifar10", "label_of_no_class", joined({ten, {}, one, {}}));
  corpus.add("cifar10", "compressed", joined({worker::gzip(one), {}, one, {}}));
}

void addPictures(const Corpus& corpus) {
  const worker::Picture gray = gradientPicture(1, {9, 12});
  const worker::Picture colored = gradientPicture(3, {9, 12});
  PngFile png{.height = 9, .width = 12, .rows = gray.pixels};
  corpus.add("pictures", "gray.png", encode(png));
  png.is_interlaced = true;
  corpus.add("pictures", "interlaced.png", encode(png));
  corpus.add("pictures", "colors.png", pngOf(colored));
  corpus.add("pictures", "palette.png",
             encode({.width = 2, .colors = 3, .bits = 1, .palette = {{1, 2, 3}}, .rows = {0}}));
  corpus.add("pictures", "alpha.png", encode({.colors = 6, .rows = {1, 2, 3, 4}}));
  corpus.add("pictures", "sixteen_bits.png", encode({.bits = 16, .rows = {1, 2}}));
  corpus.add("pictures", "gray.jpg", jpegOf(gray, {.quality = 50}));
  corpus.add("pictures", "turned.jpg", jpegOf(gray, {.quality = 50, .orientation = 6}));
  corpus.add("pictures", "two_scans.jpg", jpegOf(gray, {.quality = 50, .has_two_scans = true}));
  const Bytes jpeg = jpegOf(colored, {.quality = 50, .is_subsampled = true});
  corpus.add("pictures", "subsampled.jpg", jpeg);
  corpus.add("pictures", "cut.jpg", firstOf(jpeg, jpeg.size() - 9));
  corpus.add("pictures", "progressive.jpg",
             jpegOf(colored, {.quality = 50, .is_progressive = true}));
  corpus.add("pictures", "cmyk.jpg", jpegOf(gradientPicture(4, {9, 12}), {.quality = 50}));
}

// --- Checkpoints

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

// --- Texts about a job

void addProgress(const Corpus& corpus) {
  Progress progress = progressOf(10, 200, 1, 0.5);
  progress.samples_per_second = 1234.5;
  progress.batches_per_second = 9.5;
  corpus.add("progress", "progress.json", toLine(progress));
  corpus.add("progress", "interim.json", toLine(progress, true));
  corpus.add("progress", "status.json", printed(json(toStatusJson(progress))));
  Evaluated evaluated;
  evaluated.step = 100;
  evaluated.test_accuracy = 0.91;
  corpus.add("progress", "evaluation.json", toLine(evaluated));
  corpus.add("progress", "checkpoint.json", toLine(CheckpointWritten{500}));
  const MembersChanged change{.term = 2,
                              .generation = 3,
                              .step = 40,
                              .workers = 5,
                              .servers = 1,
                              .cause = "worker 2 joined, lost worker 1 (it left)",
                              .redone = 1,
                              .bytes = 4'000'000,
                              .pause_seconds = 0.25};
  corpus.add("progress", "change.json", toLine(change));
  JobResult result;
  result.steps = 200;
  result.epochs = 2;
  result.loss = 0.1;
  result.test_accuracy = 0.92;
  result.parameters_sha256 = std::string(64, 'c');
  result.model_path = "/output/model.safetensors";
  result.setting.logical_workers = 4;
  result.setting.workers = 2;
  result.setting.servers = 1;
  result.setting.numerics = "3 avx2";
  result.setting.seed = 1;
  corpus.add("progress", "result_message.json", toMessage(result));
  corpus.add("progress", "result_line.json", toLine(result));
}

/// A job of tests/data/job as the API server gives it.
json apiJob(const std::string& name) {
  const auto text = readTextFile("tests/data/job/good/" + name, 1U << 20U);
  SUMAC_CHECK(text.has_value(), name);
  const yaml::Document document = yaml::parse(*text);
  SUMAC_CHECK(document.root.has_value(), name);
  json object = job::toJson(*document.root);
  object["metadata"] = {{"name", "job"},
                        {"namespace", "research"},
                        {"uid", "u-1"},
                        {"resourceVersion", "7"},
                        {"generation", 2}};
  return object;
}

std::string npyOf(const std::string& descr, const std::string& shape, std::string_view values) {
  const std::string head =
      "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
  std::string bytes("\x93NUMPY\1\0", 8);
  bytes += {static_cast<char>(head.size()), '\0'};
  return (bytes + head).append(values);
}

void addArrays(const Corpus& corpus) {
  using namespace std::string_view_literals;
  const Bytes y = bytesOf(npyOf("|u1", "(2,)", "\0\1"sv));
  const Bytes y_test = bytesOf(npyOf("<i4", "(1,)", "\1\0\0\0"sv));
  const Bytes x = bytesOf(npyOf("<f4", "(2, 1)", "\0\0\x80\x3F\0\0\0\xC0"sv));
  const Bytes x_test = bytesOf(npyOf("<f8", "(1, 1)", "\0\0\0\0\0\0\0\x40"sv));
  corpus.add("npy", "vectors", joined({x, y, x_test, y_test, {}}));
  const Bytes images = bytesOf(npyOf("|u1", "(2, 1, 1, 2)", "abcd"));
  const Bytes image = bytesOf(npyOf("|u1", "(1, 1, 1, 2)", "ef"));
  corpus.add("npy", "images", joined({images, y, image, y_test, {}}));
  corpus.add("npy", "objects", joined({bytesOf(npyOf("|O", "(1,)", "\x80\4")), y, x, y, {}}));
  corpus.add("npy", "huge", joined({bytesOf(npyOf("<f8", "(99999999, 9)", "a")), y, x, y, {}}));
  corpus.add("npy", "cut", joined({firstOf(x, x.size() - 1), y, x_test, y_test, {}}));
  for (const char* name : {"stored.npz", "compressed.npz"}) {
    const auto archive = readFile(fs::path("tests/data/npy") / name, 4096);
    SUMAC_CHECK(archive.has_value(), name);
    corpus.add("npy", name, joined({{}, {}, {}, {}, *archive}));
  }
}

void addObjects(const Corpus& corpus) {
  const json job = apiJob("pods_and_volumes.yaml");
  corpus.add("kube", "job.json", printed(job));
  corpus.add("kube", "elastic_job.json", printed(apiJob("elastic.yaml")));
  corpus.add("kube", "job_modified.json", printed({{"type", "MODIFIED"}, {"object", job}}));
  corpus.add("kube", "job_list.json",
             printed({{"metadata", {{"resourceVersion", "9"}}}, {"items", {job, job}}}));
}

}  // namespace
}  // namespace sumac::fuzz

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: sumac_fuzz_seeds FOLDER\n";
    return 2;
  }
  const sumac::fuzz::Corpus corpus(arguments[1]);
  sumac::fuzz::addMembership(corpus);
  sumac::fuzz::addHeaders(corpus);
  sumac::fuzz::addKeys(corpus);
  sumac::fuzz::addIdx(corpus);
  sumac::fuzz::addCifar(corpus);
  sumac::fuzz::addPictures(corpus);
  sumac::fuzz::addTensors(corpus);
  sumac::fuzz::addModels(corpus);
  sumac::fuzz::addManifests(corpus);
  sumac::fuzz::addProgress(corpus);
  sumac::fuzz::addArrays(corpus);
  sumac::fuzz::addObjects(corpus);
  return 0;
}
