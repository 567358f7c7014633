#include "engine/packing/pack_dataset.h"

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/file.h"
#include "base/core/thrown_error.h"
#include "engine/data/data_files.h"
#include "engine/data/dataset.h"
#include "engine/data/generated.h"
#include "engine/data/packed_dataset.h"
#include "engine/data/summary.h"
#include "tests/support/pictures/picture_files.h"
#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"

namespace sumac::worker::pack_dataset_test {
namespace {

namespace fs = std::filesystem;

/// What a network sees of a split.
struct Seen {
  std::vector<float> inputs;
  std::vector<std::int32_t> labels;

  explicit Seen(const Samples& samples)
      : inputs(static_cast<std::size_t>(samples.count() * model::count(samples.shape))),
        labels(static_cast<std::size_t>(samples.count())) {
    if (samples.count() > 0) gatherRange(samples, 0, inputs, labels);
  }
  bool operator==(const Seen& other) const {
    return labels == other.labels && inputs.size() == other.inputs.size() &&
           std::memcmp(inputs.data(), other.inputs.data(), inputs.size() * sizeof(float)) == 0;
  }
};

class Fixture {
 public:
  std::string in(const std::string& name) const { return (folder_ / name).string(); }

  job::DataSpec packed() const {
    job::DataSpec data;
    data.format = job::DataFormat::kPacked;
    data.path = in("packed.sumac");
    return data;
  }

  /// Files of 30 images to train on, 8 to test with.
  job::DataSpec images() const {
    const auto made =
        generateImages({.train_samples = 30, .test_samples = 8, .shape = {1, 9, 7}, .classes = 5});
    BOOST_REQUIRE(createFiles(in("idx"), idxFiles(*made, Compression::kNone)));
    job::DataSpec data;
    data.format = job::DataFormat::kIdx;
    data.path = in("idx");
    return data;
  }

  job::DataSpec table(bool with_test = true) const {
    fs::create_directories(in("csv"));
    std::string rows = "a,kind,b\n";
    for (int i = 0; i < 20; ++i)
      rows += std::to_string(i * i) + (i % 3 == 0 ? ",x," : ",y,") + (i % 2 == 0 ? "u\n" : "v\n");
    BOOST_REQUIRE(createFile(in("csv/train.csv"), asBytes(rows)));
    if (with_test) BOOST_REQUIRE(createFile(in("csv/test.csv"), asBytes(rows)));
    job::DataSpec data;
    data.format = job::DataFormat::kCsv;
    data.path = in("csv");
    data.label = "kind";
    return data;
  }

  job::DataSpec pictures(bool with_test) const {
    for (int i = 0; i < 12; ++i) {
      const std::string split = i < 8 || !with_test ? "photos/train/" : "photos/test/";
      const fs::path path = in(split + (i % 2 == 0 ? "cat/" : "dog/") + std::to_string(i) + ".png");
      fs::create_directories(path.parent_path());
      BOOST_REQUIRE(createFile(path, pngOf(gradientPicture(3, {4 + i, 6}))));
    }
    job::DataSpec data;
    data.format = job::DataFormat::kFolder;
    data.path = in("photos");
    data.resize = {.height = 3, .width = 3};
    data.channels = 1;
    return data;
  }

  /// Whether a job sees the same of the files and of what they are packed into.
  void comesBack(job::DataSpec data) const {
    const auto done = packDataset(data, packed().path, {.threads = 2});
    BOOST_TEST_REQUIRE(done.has_value(), (done ? "" : done.error().message));
    for (const double validation : {0.0, 0.25}) {
      for (const auto normalize : {job::Normalize::kNone, job::Normalize::kMeanStd}) {
        job::DataSpec from = packed();
        from.validation = data.validation = validation;
        from.normalize = data.normalize = normalize;
        const auto expected = loadDataset(data, {.seed = 3});
        const auto found = loadDataset(from, {.seed = 3});
        BOOST_TEST_REQUIRE(found.has_value() == expected.has_value());
        if (found) isSame(*found, *expected);
      }
    }
  }

  static void isSame(const Dataset& found, const Dataset& expected) {
    const Images& a = found.images;
    const Images& b = expected.images;
    BOOST_TEST((Seen(a.train) == Seen(b.train)));
    BOOST_TEST((Seen(a.validation) == Seen(b.validation)));
    BOOST_TEST((Seen(a.test) == Seen(b.test)));
    BOOST_TEST(found.fingerprint == expected.fingerprint);
    BOOST_TEST(a.classes == b.classes);
    BOOST_TEST((a.class_names == b.class_names));
    BOOST_TEST((found.columns == expected.columns));
    BOOST_TEST(found.pictures.channels == expected.pictures.channels);
    BOOST_TEST((found.pictures.resize == expected.pictures.resize));
    BOOST_TEST(toText(summarize(found, "x")) == toText(summarize(expected, "x")));
  }

 protected:
  TemporaryFolder folder_;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(pack_dataset, Fixture)

BOOST_AUTO_TEST_CASE(images_come_back) {
  comesBack(images());
}

BOOST_AUTO_TEST_CASE(tables_come_back_with_their_columns) {
  comesBack(table());
}

BOOST_AUTO_TEST_CASE(tables_without_test_come_back) {
  comesBack(table(/*with_test=*/false));
}

BOOST_AUTO_TEST_CASE(arrays_come_back) {
  fs::create_directories(in("npy"));
  fs::copy_file(fs::path(SUMAC_NPY_DATA) / "stored.npz", in("npy/data.npz"));
  job::DataSpec data;
  data.format = job::DataFormat::kNpy;
  data.path = in("npy");
  comesBack(data);
}

BOOST_AUTO_TEST_CASE(pictures_come_back_with_how_they_were_made) {
  comesBack(pictures(/*with_test=*/true));
}

BOOST_AUTO_TEST_CASE(pictures_without_test_need_a_validation_split_when_they_are_packed_too) {
  comesBack(pictures(/*with_test=*/false));
  test::Refusals refusals(folder_.path());
  refusals.add("no test samples", loadDataset(packed(), {}), "FOLDER/packed.sumac",
               ErrorCode::kNotFound);
  refusals.compareWith("engine/packing/no_test.txt");
}

BOOST_AUTO_TEST_CASE(pictures_of_more_than_a_piece_come_back_in_their_order) {
  job::DataSpec data = pictures(/*with_test=*/false);
  std::vector<std::uint64_t> shown;

  BOOST_REQUIRE(packDataset(data, packed().path,
                            {.threads = 2,
                             .decoded_at_once = 50,  // five pictures of 3x3
                             .on_progress = [&](std::uint64_t done, std::uint64_t all) {
                               shown.push_back(100 * done + all);
                             }}));

  BOOST_TEST((shown == std::vector<std::uint64_t>{512, 1012, 1212}));
  data.validation = 0.5;
  const auto opened = openPacked(packed().path);
  BOOST_REQUIRE(opened);
  BOOST_TEST(opened->dataset.fingerprint == loadDataset(data, {})->fingerprint);
}

BOOST_AUTO_TEST_CASE(text_and_packed_files_are_not_packed) {
  job::DataSpec text;
  text.format = job::DataFormat::kText;
  text.path = in("words");
  test::Refusals refusals(folder_.path());
  refusals.add("text", packDataset(text, in("words.sumac"), {}), "FOLDER/words");
  refusals.add("a packed file", packDataset(packed(), in("twice.sumac"), {}));
  refusals.compareWith("engine/packing/not_packed.txt");
}

BOOST_AUTO_TEST_CASE(a_folder_with_one_packed_file_will_do) {
  BOOST_REQUIRE(packDataset(images(), packed().path, {}));
  fs::create_directories(in("claim"));
  job::DataSpec data = packed();
  data.path = in("claim");
  test::Refusals refusals(folder_.path());
  refusals.add("none", loadDataset(data, {}), "FOLDER/claim", ErrorCode::kNotFound);
  fs::copy_file(packed().path, in("claim/a.sumac"));
  BOOST_TEST(loadDataset(data, {}).has_value());
  fs::copy_file(packed().path, in("claim/b.sumac"));
  refusals.add("two", loadDataset(data, {}), "a.sumac and b.sumac");
  refusals.compareWith("engine/packing/folder.txt");
}

BOOST_AUTO_TEST_CASE(a_damaged_sample_throws_what_its_file_says) {
  BOOST_REQUIRE(packDataset(images(), packed().path, {}));
  Bytes bytes = *readFile(packed().path, 1U << 20U);
  bytes.back() ^= std::byte{1};
  BOOST_REQUIRE(replaceFile(packed().path, bytes));

  const auto dataset = loadDataset(packed(), {});

  BOOST_REQUIRE(dataset);
  BOOST_CHECK_EXCEPTION(Seen(dataset->images.train), ThrownError, [&](const ThrownError& thrown) {
    return thrown.error().code == ErrorCode::kInvalid &&
           std::string(thrown.what()).find(packed().path) != std::string::npos;
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::pack_dataset_test
