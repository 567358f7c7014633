#include "base/report/values.h"

#include <string_view>

#include "base/core/check.h"

namespace sumac::report {
namespace {

/// The place of a key with points in `object`, whose objects it makes.
Value& placeOf(Value& object, std::string_view key) {
  Value* place = &object;
  for (std::size_t begin = 0; begin <= key.size();) {
    const std::size_t end = std::min(key.find('.', begin), key.size());
    place = &(*place)[std::string(key.substr(begin, end - begin))];
    begin = end + 1;
  }
  return *place;
}

Value valueOf(const Cell& cell) {
  if (!cell.value.is_null()) return cell.value;
  return cell.text.empty() ? Value() : Value(cell.text);
}

/// A field of a CSV line, quoted where its text needs that.
std::string csvField(const Value& value) {
  if (value.is_null()) return {};
  std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

Value toJson(const Table& table) {
  Value list = Value::array();
  for (const auto& row : table.rows) {
    SUMAC_CHECK(row.size() == table.columns.size(), row.size(), table.columns.size());
    Value object = Value::object();
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (table.columns[i].key.empty()) continue;
      if (Value value = valueOf(row[i]); !value.is_null())
        placeOf(object, table.columns[i].key) = std::move(value);
    }
    list.push_back(std::move(object));
  }
  return list;
}

std::string toCsv(const Table& table) {
  std::string out;
  const auto add = [&out, &table](const auto& valueAt) {
    bool is_first = true;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (table.columns[i].key.empty()) continue;
      out += (is_first ? "" : ",") + csvField(valueAt(i));
      is_first = false;
    }
    out += "\r\n";
  };
  add([&table](std::size_t i) { return Value(table.columns[i].key); });
  for (const auto& row : table.rows) {
    SUMAC_CHECK(row.size() == table.columns.size(), row.size(), table.columns.size());
    add([&row](std::size_t i) { return valueOf(row[i]); });
  }
  return out;
}

}  // namespace sumac::report
