#include <array>

#include "common/model/network.h"

namespace sumac::model {
namespace {

/// LeCun, Bottou, Bengio, Haffner: "Gradient-based learning applied to document recognition",
/// 1998, with the choices usual today: full connections between the channels, max instead of
/// average pooling, ReLU instead of tanh.
NetworkSpec lenet5() {
  return {"lenet5",
          {1, 28, 28},
          {{{}, Conv2d{.outputs = 6, .kernel = 5, .padding = 2}, {}},
           {{}, Relu{}, {}},
           {{}, MaxPool{.kernel = 2}, {}},
           {{}, Conv2d{.outputs = 16, .kernel = 5}, {}},
           {{}, Relu{}, {}},
           {{}, MaxPool{.kernel = 2}, {}},
           {{}, Flatten{}, {}},
           {{}, Dense{.outputs = 120}, {}},
           {{}, Relu{}, {}},
           {{}, Dense{.outputs = 84}, {}},
           {{}, Relu{}, {}},
           {{}, Dense{.outputs = 10}, {}},
           {{}, SoftmaxCrossEntropy{}, {}}}};
}

struct Entry {
  std::string_view name;
  NetworkSpec (*make)();
};

constexpr std::array kZoo{Entry{"lenet5", lenet5}};

}  // namespace

Result<NetworkSpec> fromZoo(std::string_view name) {
  std::string known;
  for (const Entry& entry : kZoo) {
    if (entry.name == name) {
      NetworkSpec spec = entry.make();
      nameLayers(spec.layers);
      return spec;
    }
    known += known.empty() ? "" : ", ";
    known += entry.name;
  }
  return Error{ErrorCode::kNotFound,
               "there is no network '" + std::string(name) + "' in the zoo, which has " + known};
}

std::vector<std::string> zooNames() {
  std::vector<std::string> names;
  for (const Entry& entry : kZoo)
    names.emplace_back(entry.name);
  return names;
}

}  // namespace sumac::model
