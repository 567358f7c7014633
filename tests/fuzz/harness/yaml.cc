#include <nlohmann/json.hpp>

#include "base/core/check.h"
#include "base/yaml/reader.h"
#include "job/document/json.h"
#include "job/document/yaml_writer.h"
#include "tests/fuzz/harness/harness.h"

namespace sumac::fuzz {
namespace {

struct Size {
  std::size_t nodes = 0;
  std::size_t height = 0;
};

Size sizeOf(const yaml::Node& node) {
  Size size{1, 0};
  const auto add = [&size](const yaml::Node& child) {
    const Size of_child = sizeOf(child);
    size.nodes += of_child.nodes;
    size.height = std::max(size.height, of_child.height + 1);
  };
  for (const yaml::Node& item : node.items)
    add(item);
  for (const yaml::Field& field : node.fields)
    add(field.value);
  return size;
}

/// Requires that the text reads to a tree whose JSON is `expected`.
void requireSameTree(const std::string& text, const nlohmann::ordered_json& expected) {
  if (text.size() > yaml::kMaxBytes) return;  // aliases were written out
  const yaml::Document again = yaml::parse(text);
  SUMAC_CHECK(again.root.has_value(), again.message, text);
  SUMAC_CHECK(job::toJson(*again.root) == expected, text);
}

}  // namespace

void yaml(BytesView input) {
  const yaml::Document document = yaml::parse(asText(input));
  SUMAC_CHECK(document.message.empty() == document.root.has_value(), document.message);
  if (!document.root) {
    SUMAC_CHECK(document.position.line >= 1 && document.position.column >= 1, document.message);
    return;
  }
  const Size size = sizeOf(*document.root);
  SUMAC_CHECK(size.nodes <= yaml::kMaxNodes && size.height <= yaml::kMaxDepth, size.nodes,
              size.height);
  const nlohmann::ordered_json written = job::toJson(*document.root);
  requireSameTree(written.dump(2), written);
  requireSameTree(job::toYaml(written), written);
  const yaml::Document of_tree = yaml::fromJson(written);
  if (of_tree.root) SUMAC_CHECK(job::toJson(*of_tree.root) == written, written.dump());
}

}  // namespace sumac::fuzz
