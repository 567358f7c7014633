#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/report/drawing.h"

namespace sumac::report {

// An answer of the product as a tree, without any form: who answers (planReport, experimentReport)
// makes it once, and text.h, html.h and values.h write it for terminals, browsers and programs.
// Value types. Any text may stand in them.

using Value = nlohmann::ordered_json;

/// A field of a table.
struct Cell {
  std::string text{};    // for people; empty: `value` as programs read it
  Value value{};         // for programs, in base units; null: nothing
  std::string aside{};   // of less weight, after the text: an interval
  std::string mark{};    // a word that marks the row: "emulated"
  std::string origin{};  // where a figure comes from: "measured", "published", another word
};

/// What a column holds, which decides how it is aligned and broken into lines.
enum class ColumnKind { kText, kNumber, kSentence };

struct Column {
  std::string
      key;  // for programs: "step.seconds" is seconds in an object step; empty: not for them
  std::string title;   // for people: "Samples/s"; a column with a key and no title is not for them
  std::string unit{};  // of all its fields, where these do not name it
  ColumnKind kind = ColumnKind::kText;
};

inline bool isForPeople(const Column& column) {
  return !column.title.empty() || column.key.empty();
}

/// All rows as long as `columns`.
struct Table {
  std::string caption{};
  std::vector<Column> columns{};
  std::vector<std::vector<Cell>> rows{};
  std::size_t most_rows = 20;  // that people see at once; a page folds the others
  std::string noun = "row";    // what a row is
};

struct Paragraph {
  std::string text;
};

/// Sentences, each on its own.
struct List {
  std::vector<std::string> items;
};

/// What everything else follows from: sentences, and how they were found.
struct Findings {
  std::vector<std::string> sentences;
  std::string basis;
};

/// Names with what they stand for.
struct Definitions {
  std::vector<std::pair<std::string, std::string>> entries;
};

/// Lines as they are, such as a command.
struct Preformatted {
  std::string text;
};

/// Charts beside each other; pages only.
struct Pictures {
  std::vector<Drawing> drawings;
};

using Block = std::variant<Paragraph, List, Findings, Definitions, Preformatted, Table, Pictures>;

/// Who sees a section.
enum class Audience {
  kAll,       // terminals and pages
  kWide,      // pages, and terminals that were asked for everything
  kPage,      // pages
  kTerminal,  // terminals: what a page says in its heading, or elsewhere at length
};

struct Section {
  std::string heading;  // empty: its blocks follow those before
  Audience audience = Audience::kAll;
  std::vector<Block> blocks{};
  std::string fold{};  // a page folds the section under this line; empty: it does not
};

/// What a report is about.
struct Heading {
  std::string kind;  // "Sumac experiment"
  std::string title;
  std::string question{};              // a line below the title
  std::vector<std::string> remarks{};  // in short, such as "4 cells"
  std::vector<std::string> alarms{};   // what everybody has to know first: "incomplete"
};

struct Report {
  Heading heading;
  std::vector<Section> sections;
};

}  // namespace sumac::report
