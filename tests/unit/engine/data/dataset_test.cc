#include "engine/data/dataset.h"

#include <boost/test/unit_test.hpp>

#include "base/core/check.h"
#include "tests/support/pictures/picture_files.h"
#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/engine/data/idx_files.h"

namespace sumac::worker::dataset_test {
namespace {

constexpr std::uint8_t kBytes = 8;
constexpr std::uint8_t kIntegers = 12;

/// A folder with a data set: three images of 1x2 to train, one to test.
class Fixture {
 public:
  Fixture() { writeAll(); }

  void writeAll() const {
    write("train-images-idx3-ubyte", idxBytes(kBytes, {3, 1, 2}, "abcdef"));
    write("train-labels-idx1-ubyte", idxBytes(kBytes, {3}, std::string("\0\1\11", 3)));
    write("t10k-images-idx3-ubyte", idxBytes(kBytes, {1, 1, 2}, "gh"));
    write("t10k-labels-idx1-ubyte", idxBytes(kBytes, {1}, std::string("\2", 1)));
  }

  void write(const std::string& name, const std::string& bytes) const {
    writeText(folder_ / name, bytes);
  }
  void add(const std::string& name, const Bytes& bytes) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    write(name, std::string(asText(bytes)));
  }
  const std::filesystem::path& folder() const { return folder_.path(); }
  std::string pathOf(const std::string& name) const { return (folder_ / name).string(); }
  void remove(const std::string& name) const { std::filesystem::remove(folder_ / name); }

  Result<Dataset> load(job::DataFormat format = job::DataFormat::kIdx) const {
    job::DataSpec data;
    data.format = format;
    data.path = folder_.path().string();
    return loadDataset(data, {});
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(dataset, Fixture)

BOOST_AUTO_TEST_CASE(loads_the_four_files) {
  const auto dataset = load();

  BOOST_REQUIRE(dataset);
  BOOST_TEST(dataset->images.train.count() == 3);
  BOOST_TEST(dataset->images.test.count() == 1);
  BOOST_TEST(dataset->images.classes == 10);
  BOOST_TEST(model::toString(dataset->images.train.shape) == "1x1x2");
  BOOST_TEST(int{dataset->images.train.pixels[2]} == int{'c'});
  BOOST_TEST(int{dataset->images.train.labels[2]} == 9);
  BOOST_TEST(int{dataset->images.test.pixels[1]} == int{'h'});
  BOOST_TEST(int{dataset->images.test.labels[0]} == 2);
}

BOOST_AUTO_TEST_CASE(has_the_same_fingerprint_plain_and_compressed) {
  const auto plain = load();
  remove("train-images-idx3-ubyte");
  write("train-images-idx3-ubyte.gz", gzipped(idxBytes(kBytes, {3, 1, 2}, "abcdef")));

  const auto compressed = load();

  BOOST_REQUIRE(plain);
  BOOST_REQUIRE(compressed);
  BOOST_TEST(plain->fingerprint == compressed->fingerprint);
}

BOOST_AUTO_TEST_CASE(has_another_fingerprint_for_any_other_content) {
  const std::uint32_t before = load()->fingerprint;
  const auto fingerprint = [this] { return load()->fingerprint; };

  write("train-images-idx3-ubyte", idxBytes(kBytes, {3, 1, 2}, "abcdeF"));
  BOOST_TEST(fingerprint() != before);
  write("train-images-idx3-ubyte", idxBytes(kBytes, {3, 2, 1}, "abcdef"));
  write("t10k-images-idx3-ubyte", idxBytes(kBytes, {1, 2, 1}, "gh"));
  BOOST_TEST(fingerprint() != before);
  write("train-images-idx3-ubyte", idxBytes(kBytes, {3, 1, 2}, "abcdef"));
  write("t10k-images-idx3-ubyte", idxBytes(kBytes, {1, 1, 2}, "gh"));
  BOOST_TEST(fingerprint() == before);
  write("t10k-labels-idx1-ubyte", idxBytes(kBytes, {1}, std::string("\3", 1)));
  BOOST_TEST(fingerprint() != before);
}

BOOST_AUTO_TEST_CASE(has_as_many_classes_as_the_training_labels_say) {
  write("train-labels-idx1-ubyte", idxBytes(kBytes, {3}, std::string("\2\0\1", 3)));
  BOOST_TEST(load()->images.classes == 3);
  write("train-labels-idx1-ubyte", idxBytes(kBytes, {3}, std::string("\0\377\0", 3)));
  BOOST_TEST(load()->images.classes == 256);
}

BOOST_AUTO_TEST_CASE(reads_labels_of_32_bits) {
  remove("train-labels-idx1-ubyte");
  write("train-labels-idx1-int",
        idxBytes(kIntegers, {3}, std::string("\0\0\0\1\0\0\377\377\0\0\1\0", 12)));

  const auto dataset = load();

  BOOST_REQUIRE(dataset);
  BOOST_TEST(dataset->images.classes == 65'536);
  BOOST_TEST(dataset->images.train.labels == (std::vector<std::uint16_t>{1, 65'535, 256}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(says_what_is_wrong_with_a_file) {
  const std::string_view train_labels = "train-labels-idx1-ubyte";
  const std::string_view test_labels = "t10k-labels-idx1-ubyte";
  const std::string_view test_images = "t10k-images-idx3-ubyte";
  const std::tuple<const char*, std::string_view, std::string> kCases[] = {
      {"two labels", train_labels, idxBytes(kBytes, {2}, std::string(2, '\0'))},
      {"65537 classes", train_labels,
       idxBytes(kIntegers, {3}, std::string("\0\0\0\1\0\1\0\0\0\0\1\0", 12))},
      {"a label below zero", train_labels,
       idxBytes(kIntegers, {3}, std::string("\0\0\0\1\0\0\0\1\377\377\377\377", 12))},
      {"one class", train_labels, idxBytes(kBytes, {3}, std::string(3, '\0'))},
      {"an unknown class", test_labels, idxBytes(kBytes, {1}, "\12")},
      {"no pixels", test_images, idxBytes(kBytes, {1, 0, 2}, "")},
      {"another shape", test_images, idxBytes(kBytes, {1, 2, 1}, "gh")},
      {"two names of classes", "classes.txt", "cat\ndog\n"}};
  test::Refusals refusals(folder());
  for (const auto& [name, file, bytes] : kCases) {
    writeAll();
    write(std::string(file), bytes);
    refusals.add(name, load(), file);
  }
  remove("t10k-labels-idx1-ubyte");
  refusals.add("a file that is missing", load(), "t10k-labels-idx1-ubyte", ErrorCode::kNotFound);
  refusals.compareWith("engine/data/dataset.txt");
}

BOOST_AUTO_TEST_CASE(reads_the_names_of_the_classes) {
  write("train-labels-idx1-ubyte", idxBytes(kBytes, {3}, std::string("\0\2\1", 3)));
  write("classes.txt", "cat\r\ntall dog\n\ncow");

  const auto dataset = load();

  BOOST_REQUIRE(dataset);
  BOOST_TEST(dataset->images.class_names == (std::vector<std::string>{"cat", "tall dog", "cow"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(says_which_formats_names_and_folders_there_are) {
  write("train.txt", "a b\n");
  const auto specOf = [](job::DataFormat format, const std::string& path) {
    job::DataSpec data;
    data.format = format;
    data.path = path;
    return data;
  };
  job::DataSpec unknown;
  unknown.name = "../fashion-mnist-mini";
  test::Refusals refusals(folder());
  refusals.add("a format alone", loadDataset(specOf(job::DataFormat::kText, ""), {}));
  refusals.add("nothing", loadDataset({}, {}));
  refusals.add("an unknown name", loadDataset(unknown, {}), unknown.name, ErrorCode::kNotFound);
  for (const auto format :
       {job::DataFormat::kIdx, job::DataFormat::kCifar10, job::DataFormat::kText})
    refusals.add("no folder", loadDataset(specOf(format, pathOf("none")), {}), "FOLDER/none",
                 ErrorCode::kNotFound);
  refusals.add("a file", loadDataset(specOf(job::DataFormat::kText, pathOf("train.txt")), {}),
               "FOLDER/train.txt", ErrorCode::kNotFound);
  refusals.compareWith("engine/data/dataset_named.txt");
}

BOOST_AUTO_TEST_CASE(splits_then_normalizes_by_what_is_left_to_train_on) {
  write("train-images-idx3-ubyte", idxBytes(kBytes, {3, 1, 2}, std::string("\0\0\0\0\377\377", 6)));
  job::DataSpec data;
  data.format = job::DataFormat::kIdx;
  data.path = pathOf("");
  const auto plain = loadDataset(data, {.seed = 1});
  data.validation = 0.4;
  data.normalize = job::Normalize::kMeanStd;

  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    const auto dataset = loadDataset(data, {.seed = seed});
    BOOST_REQUIRE(dataset);
    const Images& images = dataset->images;
    BOOST_TEST(images.train.count() == 2);
    BOOST_TEST(images.validation.count() == 1);
    const bool is_white_left = images.validation.pixels[0] == 0;
    for (const Samples* const split : {&images.train, &images.validation, &images.test})
      BOOST_TEST(split->normalization.mean.at(0) == (is_white_left ? 0.5F : 0.0F));
    BOOST_TEST(dataset->fingerprint == plain->fingerprint);  // of the files
  }
  BOOST_TEST(plain->images.train.normalization.isEmpty());
}

BOOST_AUTO_TEST_CASE(loads_folders_of_pictures_as_the_job_wants_them) {
  const Bytes picture = pngOf(gradientPicture(1, {4, 6}));
  for (const char* name : {"train/cat/1.png", "train/cat/2.png", "train/dog/1.png"})
    add(name, picture);
  add("train/dog/notes.txt", {});
  job::DataSpec data;
  data.format = job::DataFormat::kFolder;
  data.path = pathOf("");
  data.resize = {.height = 2, .width = 2};
  data.channels = 3;

  const auto without_test = loadDataset(data, {});
  data.validation = 0.4;
  const auto held_back = loadDataset(data, {.threads = 2});
  add("test/dog/1.png", picture);
  data.validation = 0;
  const auto whole = loadDataset(data, {.threads = 2});

  BOOST_TEST_REQUIRE(!without_test);
  BOOST_TEST(without_test.error().code == ErrorCode::kNotFound);
  BOOST_TEST(without_test.error().message.find(pathOf("test")) != std::string::npos);
  BOOST_REQUIRE(held_back);
  BOOST_TEST(held_back->images.validation.count() == 1);
  BOOST_TEST(held_back->images.test.count() == 0);
  BOOST_REQUIRE(whole);
  BOOST_TEST((whole->images.train.shape == model::Shape{3, 2, 2}));
  BOOST_TEST(whole->images.test.count() == 1);
  BOOST_TEST(whole->images.class_names.at(1) == "dog");
  BOOST_TEST(whole->warning.find("notes.txt") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(loads_tables) {
  for (const char* name : {"train.csv", "test.csv"})
    write(name, "a,kind,b\n1,x,2\n3,y,4\n");
  job::DataSpec data;
  data.format = job::DataFormat::kCsv;
  data.path = pathOf("");
  data.label = "kind";

  const auto loaded = loadDataset(data, {});

  BOOST_TEST_REQUIRE(loaded.has_value());
  BOOST_TEST(loaded->images.train.values.size() == 4U);
  BOOST_TEST(loaded->columns.label == "kind");
  BOOST_TEST(loaded->columns.columns.size() == 2U);

  remove("test.csv");
  const auto without_test = loadDataset(data, {});
  data.validation = 0.5;
  const auto held_back = loadDataset(data, {});

  BOOST_TEST_REQUIRE(!without_test);
  BOOST_TEST(without_test.error().message.find(pathOf("test.csv")) != std::string::npos);
  BOOST_TEST_REQUIRE(held_back.has_value());
  BOOST_TEST(held_back->images.validation.count() == 1);
  BOOST_TEST(held_back->images.test.count() == 0);
}

BOOST_AUTO_TEST_CASE(loads_arrays) {
  std::filesystem::copy_file(std::filesystem::path(SUMAC_NPY_DATA) / "stored.npz",
                             pathOf("data.npz"));
  job::DataSpec data;
  data.format = job::DataFormat::kNpy;
  data.path = pathOf("");

  const auto loaded = loadDataset(data, {});

  BOOST_TEST_REQUIRE(loaded.has_value());
  BOOST_TEST(loaded->images.train.count() == 3);
}

BOOST_AUTO_TEST_CASE(loads_files_of_every_format_by_its_own_reader) {
  write("train.txt", "a b\n");
  write("data_batch_1.bin", std::string(3073, '\1'));
  write("test_batch.bin", std::string(3073, '\1'));

  const auto idx = load(job::DataFormat::kIdx);
  const auto cifar10 = load(job::DataFormat::kCifar10);
  const auto text = load(job::DataFormat::kText);

  BOOST_REQUIRE((idx && cifar10 && text));
  BOOST_TEST((idx->kind() == DataKind::kImages));
  BOOST_TEST((cifar10->kind() == DataKind::kImages));
  BOOST_TEST((text->kind() == DataKind::kText));
  BOOST_TEST(model::toString(cifar10->images.train.shape) == "3x32x32");
  BOOST_TEST(text->text.train.size() == 3U);
  BOOST_TEST(text->fingerprint != 0U);
}

BOOST_AUTO_TEST_CASE(has_another_fingerprint_for_any_other_text) {
  const auto fingerprint = [this](const char* train, const char* valid, const char* test) {
    write("train.txt", train);
    write("valid.txt", valid);
    write("test.txt", test);
    return load(job::DataFormat::kText)->fingerprint;
  };

  const auto before = fingerprint("a b a\n", "a\n", "b\n");

  BOOST_TEST(fingerprint("a  b a \n", "a", "b\r\n") == before);
  BOOST_TEST(fingerprint("a c a\n", "a\n", "c\n") != before);
  BOOST_TEST(fingerprint("a a b\n", "a\n", "b\n") != before);
  BOOST_TEST(fingerprint("a b a\n", "b\n", "b\n") != before);
  BOOST_TEST(fingerprint("a b a\n", "a\n", "a\n") != before);
}

BOOST_AUTO_TEST_CASE(generates_what_a_job_asks_for) {
  job::DataSpec images;
  images.format = job::DataFormat::kGenerated;
  images.generated.emplace();
  images.generated->train_samples = 30;
  images.generated->test_samples = 10;
  images.generated->shape = {3, 8, 9};
  images.generated->classes = 7;
  job::DataSpec text;
  text.format = job::DataFormat::kGenerated;
  text.generated.emplace();
  text.generated->train_tokens = 400;
  text.generated->test_tokens = 50;
  text.generated->vocabulary = 33;

  const auto of_images = loadDataset(images, {});
  const auto of_text = loadDataset(text, {});
  images.generated->classes = 300;
  const auto of_too_many = loadDataset(images, {});
  images.generated.reset();
  const auto of_nothing = loadDataset(images, {});

  BOOST_REQUIRE(of_images);
  BOOST_TEST(of_images->images.train.count() == 30);
  BOOST_TEST(of_images->images.test.count() == 10);
  BOOST_TEST(of_images->images.classes == 7);
  BOOST_TEST(model::toString(of_images->images.test.shape) == "3x8x9");
  BOOST_REQUIRE(of_text);
  BOOST_TEST(of_text->text.vocabulary.size() == 33U);
  BOOST_TEST(of_text->text.valid.size() == 50U);
  BOOST_TEST(of_too_many.error().code == ErrorCode::kInvalid);
  BOOST_TEST(of_nothing.error().code == ErrorCode::kInvalid);
}

BOOST_AUTO_TEST_CASE(loads_the_data_that_comes_with_the_product) {
  job::DataSpec data;
  data.name = "fashion-mnist-mini";

  const auto dataset = loadDataset(data, {.data_folder = SUMAC_EXAMPLE_DATA});

  BOOST_REQUIRE(dataset);
  BOOST_TEST(dataset->images.train.count() == 800);
  BOOST_TEST(dataset->images.test.count() == 100);
  BOOST_TEST(model::toString(dataset->images.train.shape) == "1x28x28");
  BOOST_TEST(dataset->images.class_names.at(9) == "Ankle boot");
  std::vector<int> of_class(10);
  for (const std::uint16_t label : dataset->images.train.labels)
    ++of_class[label];
  for (const std::uint16_t label : dataset->images.test.labels)
    ++of_class[label];
  BOOST_TEST(of_class == std::vector<int>(10, 90), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(gathers_in_the_order_asked_for) {
  const auto dataset = load();
  BOOST_REQUIRE(dataset);
  const std::vector<std::int64_t> indices{2, 0, 2};
  std::vector<float> inputs(6);
  std::vector<std::int32_t> labels(3);

  gather(dataset->images.train, indices, inputs, labels);

  const auto scaled = [](char pixel) { return static_cast<float>(pixel) / 255.0F; };
  const std::vector<float> expected{scaled('e'), scaled('f'), scaled('a'),
                                    scaled('b'), scaled('e'), scaled('f')};
  BOOST_TEST(inputs == expected, boost::test_tools::per_element());
  BOOST_TEST(labels == (std::vector<std::int32_t>{9, 0, 9}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(scales_every_pixel_as_a_division_does) {
  Samples samples{.shape = {256}, .labels = {0}};
  for (int pixel = 0; pixel < 256; ++pixel) {
    samples.pixels.push_back(static_cast<std::uint8_t>(pixel));
  }
  std::vector<float> inputs(256);
  std::vector<std::int32_t> labels(1);

  gather(samples, std::vector<std::int64_t>{0}, inputs, labels);

  for (std::size_t pixel = 0; pixel < 256; ++pixel) {
    const volatile float value = static_cast<float>(pixel);  // divided when the test runs
    BOOST_TEST(inputs[pixel] == value / 255.0F);
  }
}

BOOST_AUTO_TEST_CASE(gathers_nothing_outside) {
  const auto dataset = load();
  BOOST_REQUIRE(dataset);
  std::vector<float> inputs(2);
  std::vector<std::int32_t> labels(1);
  const auto get = [&](std::int64_t index) {
    gather(dataset->images.train, std::vector<std::int64_t>{index}, inputs, labels);
  };

  BOOST_CHECK_THROW(get(-1), InvariantViolation);
  BOOST_CHECK_THROW(get(3), InvariantViolation);
  inputs.resize(3);
  BOOST_CHECK_THROW(get(0), InvariantViolation);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::dataset_test
