#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/yaml/node.h"

namespace sumac::yaml {

/// A document that is rejected. Thrown through the parser and caught in parse(); it does not leave
/// this folder.
class Refusal : public std::runtime_error {
 public:
  Refusal(Position position, const std::string& message)
      : std::runtime_error(message), position_(position) {}

  Position position() const { return position_; }

 private:
  Position position_;
};

/// Builds a tree from the events of a parser, within the limits of reader.h. Independent of the
/// parser's library.
///
/// Every member throws Refusal on what parse() rejects.
class Builder {
 public:
  using Anchor = std::size_t;  // 0: none

  /// `plain`: not quoted, so that its text decides its kind.
  void scalar(Position position, std::string text, bool plain, Anchor anchor);
  void null(Position position, Anchor anchor);
  void alias(Position position, Anchor anchor);
  void begin(Kind kind, Position position, Anchor anchor);
  void end();

  /// The whole tree; a null node when no event came. Requires that every begin() has its end().
  Node take();

 private:
  struct Open {
    Node node;
    Anchor anchor = 0;
    std::size_t count = 1;   // nodes, itself included
    std::size_t height = 1;  // levels, its own included
    std::optional<std::string> key;
    Position key_position;
  };
  struct Finished {
    Node node;
    std::size_t count = 1;
    std::size_t height = 1;
  };

  void charge(Position position, std::size_t nodes);
  void takeKey(const Node& node);
  void place(Finished finished, Anchor anchor);
  bool expectsKey() const;

  std::vector<Open> open_;
  std::map<Anchor, Finished> anchors_;
  std::optional<Node> root_;
  std::size_t nodes_ = 0;
};

}  // namespace sumac::yaml
