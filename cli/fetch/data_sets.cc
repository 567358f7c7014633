#include "cli/fetch/data_sets.h"

#include <algorithm>
#include <array>

namespace sumac::cli {
namespace {

constexpr std::array kFashionMnist = {
    RemoteFile{"train-images-idx3-ubyte.gz", 26'421'880,
               "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84"},
    RemoteFile{"train-labels-idx1-ubyte.gz", 29'515,
               "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845"},
    RemoteFile{"t10k-images-idx3-ubyte.gz", 4'422'102,
               "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073"},
    RemoteFile{"t10k-labels-idx1-ubyte.gz", 5'148,
               "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5"},
};

constexpr std::array kMnist = {
    RemoteFile{"train-images-idx3-ubyte.gz", 9'912'422,
               "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"},
    RemoteFile{"train-labels-idx1-ubyte.gz", 28'881,
               "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"},
    RemoteFile{"t10k-images-idx3-ubyte.gz", 1'648'877,
               "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"},
    RemoteFile{"t10k-labels-idx1-ubyte.gz", 4'542,
               "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"},
};

constexpr std::array kCifar10 = {
    RemoteFile{"cifar-10-binary.tar.gz", 170'052'171,
               "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"},
};

constexpr std::uint64_t kCifarBatch = 10'000 * (1 + 3 * 32 * 32);

constexpr std::array kCifar10Members = {
    ArchiveMember{"cifar-10-batches-bin/data_batch_1.bin", kCifarBatch},
    ArchiveMember{"cifar-10-batches-bin/data_batch_2.bin", kCifarBatch},
    ArchiveMember{"cifar-10-batches-bin/data_batch_3.bin", kCifarBatch},
    ArchiveMember{"cifar-10-batches-bin/data_batch_4.bin", kCifarBatch},
    ArchiveMember{"cifar-10-batches-bin/data_batch_5.bin", kCifarBatch},
    ArchiveMember{"cifar-10-batches-bin/test_batch.bin", kCifarBatch},
};

constexpr std::array kCifar100 = {
    RemoteFile{"cifar-100-binary.tar.gz", 168'513'733,
               "58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec"},
};

constexpr std::uint64_t kCifar100Record = 2 + 3 * 32 * 32;

constexpr std::array kCifar100Members = {
    ArchiveMember{"cifar-100-binary/train.bin", 50'000 * kCifar100Record},
    ArchiveMember{"cifar-100-binary/test.bin", 10'000 * kCifar100Record},
};

constexpr std::array<std::string_view, 10> kFashionNames{
    "T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
    "Sandal",      "Shirt",   "Sneaker",  "Bag",   "Ankle boot"};

constexpr std::array<std::string_view, 10> kCifar10Names{
    "airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"};

constexpr std::array<std::string_view, 100> kCifar100Names{
    "apple",       "aquarium_fish", "baby",      "bear",       "beaver",       "bed",
    "bee",         "beetle",        "bicycle",   "bottle",     "bowl",         "boy",
    "bridge",      "bus",           "butterfly", "camel",      "can",          "castle",
    "caterpillar", "cattle",        "chair",     "chimpanzee", "clock",        "cloud",
    "cockroach",   "couch",         "crab",      "crocodile",  "cup",          "dinosaur",
    "dolphin",     "elephant",      "flatfish",  "forest",     "fox",          "girl",
    "hamster",     "house",         "kangaroo",  "keyboard",   "lamp",         "lawn_mower",
    "leopard",     "lion",          "lizard",    "lobster",    "man",          "maple_tree",
    "motorcycle",  "mountain",      "mouse",     "mushroom",   "oak_tree",     "orange",
    "orchid",      "otter",         "palm_tree", "pear",       "pickup_truck", "pine_tree",
    "plain",       "plate",         "poppy",     "porcupine",  "possum",       "rabbit",
    "raccoon",     "ray",           "road",      "rocket",     "rose",         "sea",
    "seal",        "shark",         "shrew",     "skunk",      "skyscraper",   "snail",
    "snake",       "spider",        "squirrel",  "streetcar",  "sunflower",    "sweet_pepper",
    "table",       "tank",          "telephone", "television", "tiger",        "tractor",
    "train",       "trout",         "tulip",     "turtle",     "wardrobe",     "whale",
    "willow_tree", "wolf",          "woman",     "worm"};

constexpr std::array kDataSets = {
    RemoteDataSet{"cifar-10", "cifar10", "https://www.cs.toronto.edu/~kriz", kCifar10,
                  kCifar10Members, "batches.meta.txt", kCifar10Names},
    RemoteDataSet{"cifar-100", "cifar100", "https://www.cs.toronto.edu/~kriz", kCifar100,
                  kCifar100Members, "fine_label_names.txt", kCifar100Names},
    RemoteDataSet{"fashion-mnist",
                  "idx",
                  "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com",
                  kFashionMnist,
                  {},
                  "classes.txt",
                  kFashionNames},
    // The publisher's own server refuses most downloads; this copy is the one that libraries use.
    RemoteDataSet{"mnist", "idx", "https://storage.googleapis.com/cvdf-datasets/mnist", kMnist, {}},
};

}  // namespace

std::span<const RemoteDataSet> remoteDataSets() {
  return kDataSets;
}

const RemoteDataSet* findRemoteDataSet(std::string_view name) {
  const auto* const found = std::find_if(kDataSets.begin(), kDataSets.end(),
                                         [&](const auto& each) { return each.name == name; });
  return found == kDataSets.end() ? nullptr : found;
}

std::string remoteDataSetNames() {
  std::string names;
  for (const auto& each : kDataSets)
    names.append(names.empty() ? "" : ", ").append(each.name);
  return names;
}

}  // namespace sumac::cli
