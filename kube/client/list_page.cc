#include "kube/client/list_page.h"

#include <nlohmann/json.hpp>

#include "kube/api/members.h"

namespace sumac::kube {
namespace {

using api::textOf;
using nlohmann::json;

}  // namespace

Result<ListPage> readListPage(const std::string& text,
                              const std::function<void(const json&)>& on_item) {
  bool in_items = false;
  // The list is at depth 0, its array at 1, an item at 2. Rejected values are not kept.
  const auto take = [&](int depth, json::parse_event_t event, json& parsed) {
    if (depth == 1 && event == json::parse_event_t::key) in_items = parsed == "items";
    const bool is_item = depth == 2 && in_items && event == json::parse_event_t::object_end;
    if (is_item) on_item(parsed);
    return !is_item;
  };
  const json list = json::parse(text, take, /*allow_exceptions=*/false);
  if (!list.is_object()) return Error{ErrorCode::kInvalid, "the answer is not a JSON object"};
  const auto items = list.find("items");
  const bool has_items = items != list.end() && (items->is_array() || items->is_null());
  const auto metadata = list.find("metadata");
  if (!has_items || metadata == list.end() || !metadata->is_object()) {
    return Error{ErrorCode::kInvalid, "the answer must be a list with metadata and items"};
  }
  if (items->is_array() && !items->empty()) {
    return Error{ErrorCode::kInvalid, "the list has items that are not objects"};
  }
  ListPage page{textOf(*metadata, "resourceVersion"), textOf(*metadata, "continue")};
  // Metrics are computed for each answer: nobody watches them, and metrics-server gives no version.
  const bool is_computed = textOf(list, "apiVersion").starts_with("metrics.k8s.io/");
  if (page.resource_version.empty() && !is_computed) {
    return Error{ErrorCode::kInvalid, "the list has no metadata.resourceVersion"};
  }
  return page;
}

}  // namespace sumac::kube
