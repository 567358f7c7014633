#include "engine/data/npy.h"

#include <limits>

#include <boost/test/unit_test.hpp>

#include "tests/support/refusals.h"
#include "tests/unit/engine/data/files.h"
#include "tests/unit/engine/data/npy_files.h"

namespace sumac::worker::npy_test {
namespace {

const std::string kX = npyBytes("<f4", "(3, 2)", bytesOfValues<float>({1, 2, 3, 4, 5, 6}));
const std::string kY = npyBytes("<i8", "(3,)", bytesOfValues<std::int64_t>({0, 2, 1}));
const std::string kXTest = npyBytes("<f8", "(1, 2)", bytesOfValues<double>({7.5, -8}));
const std::string kYTest = npyBytes("|u1", "(1,)", "\2");

struct Fixture : FilesFixture {
  Fixture() {
    for (const auto& [name, content] : entries())
      write(name, content);
  }

  static ZipEntries entries() {
    return {
        {"x_train.npy", kX}, {"y_train.npy", kY}, {"x_test.npy", kXTest}, {"y_test.npy", kYTest}};
  }

  void removeAll() const {
    for (const auto& [name, content] : entries())
      remove(name);
  }

  /// What is said where one of the files has these bytes.
  Result<Images> loadWith(const std::string& name, std::string_view bytes) const {
    write(name, bytes);
    auto images = loadNpy(folder());
    for (const auto& [file, content] : entries())
      write(file, content);
    return images;
  }
};

struct ArchiveFixture : Fixture {
  ArchiveFixture() { removeAll(); }

  std::string bytes() const {
    std::ifstream file(path("data.npz"), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// The archive with another size wherever it says this one.
  std::string withSize(std::uint32_t size, std::uint32_t other) const {
    return boost::replace_all_copy(bytes(), bytesOfValues<std::uint32_t>({size}),
                                   bytesOfValues<std::uint32_t>({other}));
  }
};

void checkNpy(const Samples& samples, const std::vector<float>& values,
              const std::vector<std::uint16_t>& labels) {
  BOOST_TEST(samples.values == values, boost::test_tools::per_element());
  BOOST_TEST(samples.labels == labels, boost::test_tools::per_element());
}

void checkVectors(const Result<Images>& images) {
  BOOST_REQUIRE(images);
  BOOST_TEST(images->classes == 3);
  BOOST_TEST(images->class_names.empty());
  BOOST_TEST(model::toString(images->train.shape) == "2");
  checkNpy(images->train, {1, 2, 3, 4, 5, 6}, {0, 2, 1});
  checkNpy(images->test, {7.5F, -8}, {2});
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(npy, Fixture)

BOOST_AUTO_TEST_CASE(loads_vectors) {
  checkVectors(loadNpy(folder()));
}

BOOST_AUTO_TEST_CASE(loads_images_of_bytes_as_pixels) {
  write("x_train.npy", npyBytes("|u1", "(3, 1, 1, 2)", "abcdef"));
  write("x_test.npy", npyBytes("|u1", "(1, 1, 1, 2)", "gh"));

  const auto images = loadNpy(folder());

  BOOST_REQUIRE(images);
  BOOST_TEST(model::toString(images->train.shape) == "1x1x2");
  BOOST_TEST(std::string(images->train.pixels.begin(), images->train.pixels.end()) == "abcdef");
  BOOST_TEST(images->train.values.empty());
}

BOOST_AUTO_TEST_CASE(loads_vectors_of_bytes_and_images_of_numbers_as_values) {
  write("x_train.npy", npyBytes("|u1", "(3, 1)", "\1\2\xFF"));
  write("x_test.npy", npyBytes("<i8", "(1, 1)", bytesOfValues<std::int64_t>({-9})));
  const auto vectors = loadNpy(folder());
  BOOST_REQUIRE(vectors);
  checkNpy(vectors->train, {1, 2, 255}, {0, 2, 1});
  checkNpy(vectors->test, {-9}, {2});

  write("x_train.npy", npyBytes("<i4", "(3, 1, 1, 1)", bytesOfValues<std::int32_t>({1, -2, 3})));
  write("x_test.npy", npyBytes("<f4", "(1, 1, 1, 1)", bytesOfValues<float>({0.5F})));
  const auto images = loadNpy(folder());
  BOOST_REQUIRE(images);
  BOOST_TEST(model::toString(images->train.shape) == "1x1x1");
  checkNpy(images->train, {1, -2, 3}, {0, 2, 1});
}

BOOST_AUTO_TEST_CASE(loads_more_than_one_piece) {
  std::vector<double> many(100'003);
  for (std::size_t i = 0; i < many.size(); ++i)
    many[i] = static_cast<double>(i);
  write("x_train.npy", npyBytes("<f8", "(100003, 1)", bytesOfValues(many)));
  write("y_train.npy", npyBytes("|u1", "(100003,)", std::string(100'002, '\1') + '\2'));
  write("x_test.npy", npyBytes("<f4", "(1, 1)", bytesOfValues<float>({1})));

  const auto images = loadNpy(folder());

  BOOST_REQUIRE(images);
  BOOST_TEST(images->train.values[50'000] == 50'000);
  BOOST_TEST(images->train.values[100'002] == 100'002);
}

BOOST_AUTO_TEST_CASE(refuses_a_file_cut_at_any_length) {
  for (std::size_t length = 0; length < kX.size(); ++length)
    BOOST_TEST(!loadWith("x_train.npy", kX.substr(0, length)), length);
}

BOOST_AUTO_TEST_CASE(says_what_is_wrong_with_an_array) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const std::tuple<const char*, const char*, std::string> kCases[] = {
      {"values cut short", "x_train.npy", kX.substr(0, kX.size() - 1)},
      {"a byte after the values", "x_train.npy", kX + "x"},
      {"2 GiB of values in 3 bytes", "x_train.npy", npyBytes("<f8", "(16777216, 16)", "abc")},
      {"more than 2 GiB", "x_train.npy", npyBytes("<f8", "(16777216, 17)", "abc")},
      {"one extent", "x_train.npy", npyBytes("|u1", "(3,)", "abc")},
      {"three extents", "x_train.npy", npyBytes("|u1", "(3, 1, 1)", "abc")},
      {"no extent", "x_train.npy", npyBytes("|u1", "()", "a")},
      {"no number", "x_train.npy",
       npyBytes("<f4", "(3, 2)", bytesOfValues<float>({1, 2, 3, 4, kNan, 6}))},
      {"no float32", "x_train.npy",
       npyBytes("<f8", "(3, 2)", bytesOfValues<double>({1, 1e39, 3, 4, 5, 6}))},
      {"classes of two extents", "y_train.npy", npyBytes("|u1", "(3, 1)", "abc")},
      {"classes of decimals", "y_train.npy",
       npyBytes("<f4", "(3,)", bytesOfValues<float>({0, 1, 2}))},
      {"a class below zero", "y_train.npy",
       npyBytes("<i4", "(3,)", bytesOfValues<std::int32_t>({0, -1, 2}))},
      {"a large class", "y_train.npy",
       npyBytes("<i8", "(3,)", bytesOfValues<std::int64_t>({0, 1, 65'536}))},
      {"one class", "y_train.npy", npyBytes("|u1", "(3,)", std::string(3, '\0'))},
      {"fewer classes than samples", "y_train.npy",
       npyBytes("|u1", "(2,)", std::string("\0\1", 2))},
      {"another class", "y_test.npy", npyBytes("|u1", "(1,)", "\3")},
      {"another shape", "x_test.npy", npyBytes("|u1", "(1, 3)", "abc")}};
  test::Refusals refusals(folder());
  for (const auto& [name, file, bytes] : kCases)
    refusals.add(name, loadWith(file, bytes), "FOLDER/" + std::string(file) + ": ");
  write("x_train.npy", npyBytes("|u1", "(3, 1, 1, 1)", "abc"));
  const std::string numbers = npyBytes("<f4", "(1, 1, 1, 1)", bytesOfValues<float>({1}));
  refusals.add("numbers beside pixels", loadWith("x_test.npy", numbers), "FOLDER/x_test.npy: ");
  refusals.compareWith("engine/data/npy.txt");
}

BOOST_AUTO_TEST_CASE(takes_the_largest_class) {
  write("y_train.npy", npyBytes("<i8", "(3,)", bytesOfValues<std::int64_t>({0, 2, 65'535})));

  const auto images = loadNpy(folder());

  BOOST_REQUIRE(images);
  BOOST_TEST(images->classes == kMaxClasses);
}

BOOST_AUTO_TEST_CASE(says_what_is_missing_or_too_much) {
  test::Refusals refusals(folder());
  remove("y_test.npy");
  refusals.add("missing", loadNpy(folder()), "FOLDER/y_test.npy", ErrorCode::kNotFound);
  std::filesystem::create_directory(path("y_test.npy"));
  refusals.add("a folder", loadNpy(folder()), "FOLDER/y_test.npy");
  write("some.npz", "");
  refusals.add("beside an archive", loadNpy(folder()), "FOLDER/some.npz");
  refusals.compareWith("engine/data/npy_files.txt");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(npz, ArchiveFixture)

BOOST_AUTO_TEST_CASE(loads_archives_stored_and_deflated) {
  for (const std::int32_t method : {ZIP_CM_STORE, ZIP_CM_DEFLATE}) {
    writeZip(path("any.npz"), entries(), method);
    checkVectors(loadNpy(folder()));
  }
}

BOOST_AUTO_TEST_CASE(loads_what_numpy_wrote) {
  const std::filesystem::path written = SUMAC_NPY_DATA;
  std::filesystem::copy_file(written / "stored.npz", path("data.npz"));
  const auto vectors = loadNpy(folder());
  BOOST_REQUIRE(vectors);
  BOOST_TEST(vectors->classes == 3);
  checkNpy(vectors->train, {1.5F, -2, 3, 4, 5, 6}, {0, 2, 1});
  checkNpy(vectors->test, {7, 8}, {2});

  std::filesystem::copy_file(written / "compressed.npz", path("data.npz"),
                             std::filesystem::copy_options::overwrite_existing);
  const auto images = loadNpy(folder());
  BOOST_REQUIRE(images);
  BOOST_TEST(model::toString(images->train.shape) == "1x3x4");
  BOOST_REQUIRE(images->train.pixels.size() == 24U);
  for (std::size_t i = 0; i < 24; ++i)
    BOOST_TEST(images->train.pixels[i] == i);
  BOOST_TEST(images->train.labels == (std::vector<std::uint16_t>{1, 0}),
             boost::test_tools::per_element());
  BOOST_TEST(int{images->test.pixels[11]} == 255);
}

BOOST_AUTO_TEST_CASE(chooses_data_npz_among_several) {
  write("a.npz", "");
  writeZip(path("data.npz"), entries());
  checkVectors(loadNpy(folder()));
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_archive) {
  for (const char* content : {"", "x", "PK\3\4 and more"}) {
    write("data.npz", content);
    failed(loadNpy(folder()), ErrorCode::kInvalid, {path("data.npz")});
  }
}

BOOST_AUTO_TEST_CASE(refuses_an_archive_cut_or_with_a_flipped_bit_in_its_values) {
  writeZip(path("data.npz"), entries(), ZIP_CM_STORE);
  const std::string whole = bytes();
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    write("data.npz", whole.substr(0, length));
    BOOST_TEST(!loadNpy(folder()).has_value(), length);
  }
  std::string bent = whole;
  bent[whole.find(kX) + kX.size() - 3] ^= 1;  // another number, as sound as before
  write("data.npz", bent);
  failed(loadNpy(folder()), ErrorCode::kInvalid, {path("data.npz") + "/x_train.npy: ", "CRC"});
}

BOOST_AUTO_TEST_CASE(says_what_is_wrong_with_an_archive) {
  test::Refusals refusals(folder());
  const auto add = [&](const char* name, std::string_view where,
                       ErrorCode code = ErrorCode::kInvalid) {
    refusals.add(name, loadNpy(folder()), where, code);
  };
  write("a.npz", "");
  write("b.npz", "");
  add("two archives", "FOLDER/a.npz and b.npz");

  auto some = entries();
  some.pop_back();
  writeZip(path("data.npz"), some);
  add("an array that is missing", "FOLDER/data.npz", ErrorCode::kNotFound);
  some.emplace_back("y_test.npy", "x");
  writeZip(path("data.npz"), some);
  add("no array", "FOLDER/data.npz/y_test.npy: ");

  writeZip(path("data.npz"), entries(), ZIP_CM_BZIP2);
  add("another compression", "FOLDER/data.npz: x_train.npy: ");

  auto twice = entries();
  twice.emplace_back("y_tesT.npy", kYTest);
  writeZip(path("data.npz"), twice);
  write("data.npz", boost::replace_all_copy(bytes(), "y_tesT", "y_test"));
  add("two entries of one name", "FOLDER/data.npz: ");

  auto bomb = entries();
  bomb[0].second += std::string(std::size_t{1} << 24U, '\0');
  writeZip(path("data.npz"), bomb);
  BOOST_TEST(std::filesystem::file_size(path("data.npz")) < 40'000U);
  add("more than the head announces", "x_train.npy: ");

  // The same, but the directory says that the entry has the bytes of its array.
  const auto size = static_cast<std::uint32_t>(bomb[0].second.size());
  const auto lie = static_cast<std::uint32_t>(kX.size());
  write("data.npz", withSize(size, lie));
  add("more than the head and the directory announce", "x_train.npy: ");
  refusals.compareWith("engine/data/npz.txt");
}

BOOST_AUTO_TEST_CASE(believes_no_size_that_the_compressed_bytes_cannot_have) {
  writeZip(path("data.npz"), entries());
  write("data.npz", withSize(static_cast<std::uint32_t>(kX.size()), 0x7F000000));
  failed(loadNpy(folder()), ErrorCode::kInvalid, {"x_train.npy: ", "2130706432 bytes"});
}

BOOST_AUTO_TEST_CASE(reads_samples_of_a_shape_or_one_of_them) {
  write("many.npy", kX);
  write("one.npy", npyBytes("<f4", "(2,)", bytesOfValues<float>({1, 2})));
  write("image.npy", npyBytes("|u1", "(1, 1, 2)", "ab"));
  const auto many = loadNpySamples(folder() / "many.npy", {2});
  const auto one = loadNpySamples(folder() / "one.npy", {2});
  const auto image = loadNpySamples(folder() / "image.npy", {1, 1, 2});
  BOOST_REQUIRE(many);
  BOOST_TEST(many->count() == 3);
  BOOST_TEST(many->values.size() == 6U);
  BOOST_REQUIRE(one);
  BOOST_TEST(one->count() == 1);
  BOOST_TEST(one->values == (std::vector<float>{1, 2}), boost::test_tools::per_element());
  BOOST_REQUIRE(image);
  BOOST_TEST(image->pixels.size() == 2U);

  for (const char* shape : {"()", "(1,)", "(3, 1)", "(1, 1, 2)"}) {
    write("other.npy", npyBytes("|u1", shape, std::string(shape[1] == ')' ? 1 : 3, 'a')));
    BOOST_TEST(!loadNpySamples(folder() / "other.npy", {2}), shape);
  }
  test::Refusals refusals(folder());
  refusals.add("another shape", loadNpySamples(folder() / "image.npy", {2}), "(1, 1, 2)");
  refusals.add("a folder", loadNpySamples(folder(), {2}), "FOLDER");
  refusals.compareWith("engine/data/npy_samples.txt");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::npy_test
