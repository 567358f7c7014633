#include "base/yaml/builder.h"

#include <algorithm>
#include <utility>

#include "base/core/check.h"
#include "base/yaml/reader.h"
#include "base/yaml/scalar.h"

namespace sumac::yaml {

namespace {

std::string at(Position position) {
  return std::to_string(position.line) + ":" + std::to_string(position.column);
}

/// With its quotes; control characters become "\u0001".
std::size_t bytesAsJson(std::string_view text) {
  std::size_t bytes = text.size() + 2;
  for (const char c : text) {
    if (c == '"' || c == '\\') bytes += 1;
    if (c >= 0 && c < ' ') bytes += 5;
  }
  return bytes;
}

}  // namespace

void Builder::charge(Position position, std::size_t nodes) {
  nodes_ += nodes;
  if (nodes_ > kMaxNodes) {
    throw Refusal(position, "the document has more than " + std::to_string(kMaxNodes) +
                                " keys and values (aliases count with what they stand for)");
  }
}

bool Builder::expectsKey() const {
  return !open_.empty() && open_.back().node.kind == Kind::kMap && !open_.back().key;
}

void Builder::takeKey(const Node& node) {
  Open& map = open_.back();
  if (node.kind != Kind::kString) {
    throw Refusal(node.position, "the key `" + node.text + "` is read as " +
                                     std::string(toString(node.kind)) +
                                     "; keys are strings: put it in quotes");
  }
  if (const std::size_t bytes = bytesAsJson(node.text); bytes > kMaxKeyBytes) {
    throw Refusal(node.position, "a key of " + std::to_string(bytes) + " bytes as JSON; at most " +
                                     std::to_string(kMaxKeyBytes) + " are allowed");
  }
  for (std::size_t i = 0; i < map.node.fields.size(); ++i) {
    if (map.node.fields[i].key != node.text) continue;
    throw Refusal(node.position, "duplicate key `" + node.text + "`, given before at " +
                                     at(map.node.field_positions[i]));
  }
  map.key = node.text;
  map.key_position = node.position;
}

void Builder::place(Finished finished, Anchor anchor) {
  if (anchor != 0) anchors_[anchor] = finished;
  if (open_.empty()) {
    root_ = std::move(finished.node);
    return;
  }
  Open& parent = open_.back();
  parent.count += finished.count;
  parent.height = std::max(parent.height, finished.height + 1);
  if (parent.node.kind == Kind::kList) {
    parent.node.items.push_back(std::move(finished.node));
    return;
  }
  parent.count += 1;
  parent.node.fields.push_back({std::move(*parent.key), std::move(finished.node)});
  parent.node.field_positions.push_back(parent.key_position);
  parent.key.reset();
}

void Builder::scalar(Position position, std::string text, bool plain, Anchor anchor) {
  charge(position, 1);
  Finished finished;
  finished.node.kind = plain ? plainKind(text) : Kind::kString;
  finished.node.position = position;
  finished.node.text = std::move(text);
  if (expectsKey()) {
    if (plain && finished.node.text == "<<") {
      throw Refusal(position, "the merge key `<<` is not supported; write the fields out");
    }
    takeKey(finished.node);
    if (anchor != 0) anchors_[anchor] = std::move(finished);
    return;
  }
  if (plain && isNotFinite(finished.node.text)) {
    throw Refusal(position, "found " + finished.node.text + ", which JSON does not have");
  }
  place(std::move(finished), anchor);
}

void Builder::null(Position position, Anchor anchor) {
  scalar(position, "", true, anchor);
}

void Builder::alias(Position position, Anchor anchor) {
  const auto found = anchors_.find(anchor);
  if (found == anchors_.end()) {
    throw Refusal(position, "an alias inside the value that it stands for");
  }
  Finished copy = found->second;
  charge(position, copy.count);
  if (open_.size() + copy.height > kMaxDepth) {
    throw Refusal(position, "nested deeper than " + std::to_string(kMaxDepth) + " levels");
  }
  copy.node.position = position;
  if (expectsKey()) {
    takeKey(copy.node);
    return;
  }
  place(std::move(copy), 0);
}

void Builder::begin(Kind kind, Position position, Anchor anchor) {
  SUMAC_CHECK(kind == Kind::kList || kind == Kind::kMap);
  charge(position, 1);
  if (expectsKey()) {
    throw Refusal(
        position,
        "found " + std::string(toString(kind)) + " as a key; keys are strings" +
            (kind == Kind::kMap ? ". Is a `}` missing, or a {{template}} not filled in?" : ""));
  }
  if (open_.size() >= kMaxDepth) {
    throw Refusal(position, "nested deeper than " + std::to_string(kMaxDepth) + " levels");
  }
  Open opened;
  opened.node.kind = kind;
  opened.node.position = position;
  opened.anchor = anchor;
  open_.push_back(std::move(opened));
}

void Builder::end() {
  SUMAC_CHECK(!open_.empty());
  Open closed = std::move(open_.back());
  open_.pop_back();
  place({std::move(closed.node), closed.count, closed.height}, closed.anchor);
}

Node Builder::take() {
  SUMAC_CHECK(open_.empty());
  return root_ ? std::move(*root_) : Node{};
}

}  // namespace sumac::yaml
