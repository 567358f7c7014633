#include "base/report/html.h"

#include <algorithm>
#include <span>

#include "base/core/check.h"
#include "base/core/units.h"
#include "base/report/colours.h"
#include "base/report/report.h"

namespace sumac::report {
namespace {

/// Nothing comes from elsewhere and nothing runs, whatever the texts of a page are.
constexpr std::string_view kHead =
    "<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "style-src 'unsafe-inline'; img-src data:\">\n"
    "<link rel=\"icon\" href=\"data:,\">\n";

constexpr std::string_view kLayout = R"(*{box-sizing:border-box}
body{margin:0;font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main{max-width:68rem;margin:0 auto;padding:3rem 1.5rem 4rem}
h1{font-size:2rem;line-height:1.2;margin:.1rem 0 .4rem;overflow-wrap:anywhere}
h2{font-size:1.25rem;line-height:1.3;margin:3rem 0 .75rem}
p{max-width:44rem;margin:.5rem 0;overflow-wrap:anywhere}
.kind{margin:0;font-size:.875rem;font-weight:600}
.question{font-size:1.125rem;margin:0 0 .75rem}
.remarks,.findings ul{list-style:none;margin:0;padding:0}
.remarks{display:flex;flex-wrap:wrap;gap:.35rem 1.1rem;font-size:.9375rem}
.remarks li{overflow-wrap:anywhere;min-width:0}
.alarm{font-weight:600}
.findings{margin:1.75rem 0 0;padding:1.1rem 1.4rem;border-left:4px solid;border-radius:2px}
.findings li{max-width:46rem;margin:.45rem 0;overflow-wrap:anywhere}
.findings li:first-child{font-size:1.1875rem;line-height:1.45;font-weight:600;margin-top:0}
.findings p{font-size:.875rem;margin:.75rem 0 0;max-width:46rem}
.pictures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:2.25rem 2.5rem;margin:1.25rem 0 2rem}
.chart{display:block;width:100%;max-width:34rem;height:auto}
.scroll{overflow-x:auto;margin:1rem 0}
table{border-collapse:collapse;font-size:.875rem;line-height:1.4;font-variant-numeric:tabular-nums}
caption{text-align:left;padding:0 0 .5rem;font-size:.875rem;max-width:min(65rem,calc(100vw - 3rem))}
th,td{padding:.4rem .65rem .4rem 0;text-align:left;vertical-align:baseline;white-space:nowrap;border-bottom:1px solid}
th:last-child,td:last-child{padding-right:0}
th{font-weight:600;font-size:.8125rem;white-space:normal;vertical-align:bottom}
.number{text-align:right}
.sentence{white-space:normal;min-width:16rem;max-width:32rem;overflow-wrap:anywhere}
.badge{font-size:.75rem;font-weight:600;padding:.05rem .4rem;border:1px solid;border-radius:.6rem}
.origin{font-size:.75rem;font-weight:600;padding:.05rem .4rem;border:1px solid;white-space:nowrap}
.published{border-style:dashed}
.stated{border-style:dotted}
details{margin:1rem 0}
summary{cursor:pointer;font-size:.9375rem;font-weight:600}
dl{display:grid;grid-template-columns:minmax(7rem,max-content) minmax(0,1fr);gap:.4rem 1.5rem;margin:1rem 0;font-size:.9375rem}
dd{margin:0;overflow-wrap:anywhere}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:1rem 0;padding:.8rem 1rem;border-radius:3px;font:.875rem/1.5 ui-monospace,"SF Mono",Menlo,Consolas,"Liberation Mono",monospace}
@media (max-width:40rem){main{padding:1.5rem 1rem 3rem}th,td{white-space:normal}.sentence{min-width:8rem}h1{font-size:1.6rem}.findings{padding:.9rem 1rem}}
@media print{main{max-width:none;padding:0}body{font-size:10.5pt}h2{break-after:avoid;margin-top:1.75rem}.chart,tr,.findings{break-inside:avoid}.pictures{grid-template-columns:1fr 1fr;gap:1rem 1.5rem}.scroll{overflow:visible}table{font-size:8pt}th,td{padding-right:.6rem;white-space:normal}}
)";

std::string pageRules(const Colours& colours) {
  const auto rule = [](std::string_view selectors, std::string_view property,
                       std::string_view colour) {
    return std::string(selectors) + "{" + std::string(property) + ":" + std::string(colour) + "}\n";
  };
  return rule("html,body", "background", colours.paper) + rule("body", "color", colours.ink) +
         rule(".kind,summary", "color", colours.accent) +
         rule(".question,.remarks,.findings p,caption,th,dt,.aside,.origin", "color",
              colours.muted) +
         rule(".alarm,.badge", "color", colours.warning) +
         rule(".findings,pre", "background", colours.panel) +
         rule(".findings", "border-color", colours.accent) +
         rule("th,td", "border-color", colours.rule);
}

std::string stylesOf() {
  return "<style>\n" + std::string(kLayout) + std::string(chartShapeRules()) + pageRules(kLight) +
         chartRules(kLight) + forDarkScreens(pageRules(kDark) + chartRules(kDark)) + "</style>\n";
}

std::string tag(std::string_view name, std::string_view classes, const std::string& content) {
  std::string out = "<" + std::string(name);
  if (!classes.empty()) out += " class=\"" + std::string(classes) + "\"";
  return out + ">" + content + "</" + std::string(name) + ">";
}

std::string originHtml(const std::string& origin) {
  const bool is_known = origin == "measured" || origin == "published";
  return tag("span", "origin " + (is_known ? origin : "stated"), escaped(origin));
}

std::string cellHtml(const Cell& cell) {
  std::string text = cell.text;
  if (text.empty() && !cell.value.is_null())
    text = cell.value.is_string() ? cell.value.get<std::string>() : cell.value.dump();
  std::string out = escaped(text);
  if (!cell.aside.empty()) out += " " + tag("span", "aside", escaped(cell.aside));
  if (!cell.mark.empty()) out += " " + tag("span", "badge", escaped(cell.mark));
  if (!cell.origin.empty()) out += (out.empty() ? "" : " ") + originHtml(cell.origin);
  return out.empty() ? "-" : out;
}

std::string classOf(const Column& column) {
  switch (column.kind) {
    case ColumnKind::kNumber: return "number";
    case ColumnKind::kSentence: return "sentence";
    case ColumnKind::kText: break;
  }
  return {};
}

/// A box that scrolls; people who use a keyboard can, too, when it can be reached.
std::string scrolling(std::string_view name, const std::string& content) {
  return "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" + escaped(name) +
         "\">\n" + content + "</div>\n";
}

/// The first `most` rows of a table, of the columns that people see.
std::string tableHtml(const Table& table, const std::string& caption, std::size_t most) {
  std::string head;
  for (const Column& column : table.columns) {
    if (!isForPeople(column)) continue;
    const std::string kind = classOf(column);
    head += "<th scope=\"col\"" + (kind.empty() ? kind : " class=\"" + kind + "\"") + ">" +
            escaped(column.title + (column.unit.empty() ? "" : ", " + column.unit)) + "</th>";
  }
  std::string body;
  for (const auto& row : std::span(table.rows).first(most)) {
    SUMAC_CHECK(row.size() == table.columns.size(), row.size(), table.columns.size());
    std::string fields;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (isForPeople(table.columns[i]))
        fields += tag("td", classOf(table.columns[i]), cellHtml(row[i]));
    }
    body += tag("tr", "", fields) + "\n";
  }
  const std::string name = caption.empty() ? counted(std::ssize(table.rows), table.noun) : caption;
  const std::string title = caption.empty() ? "" : tag("caption", "", escaped(caption)) + "\n";
  return scrolling(name, "<table>\n" + title + "<thead>" + tag("tr", "", head) +
                             "</thead>\n<tbody>\n" + body + "</tbody>\n</table>\n");
}

std::string headerHtml(const Heading& heading) {
  std::string remarks;
  for (const std::string& alarm : heading.alarms)
    remarks += tag("li", "alarm", escaped(alarm)) + "\n";
  for (const std::string& remark : heading.remarks)
    remarks += tag("li", "", escaped(remark)) + "\n";
  return "<header>\n" + tag("p", "kind", escaped(heading.kind)) + "\n" +
         tag("h1", "", escaped(heading.title)) + "\n" +
         tag("p", "question", escaped(heading.question)) + "\n" +
         tag("ul", "remarks", "\n" + remarks) + "\n</header>\n";
}

std::string items(const std::vector<std::string>& texts) {
  std::string out = "\n";
  for (const std::string& text : texts)
    out += tag("li", "", escaped(text)) + "\n";
  return tag("ul", "", out) + "\n";
}

/// What only some readers want.
std::string folded(std::string_view line, const std::string& content) {
  return tag("details", "", "\n" + tag("summary", "", escaped(line)) + "\n" + content) + "\n";
}

/// Empty where there is nothing to show.
struct BlockHtml {
  std::string operator()(const Paragraph& block) const {
    return block.text.empty() ? std::string() : tag("p", "", escaped(block.text)) + "\n";
  }
  std::string operator()(const List& block) const {
    return block.items.empty() ? std::string() : items(block.items);
  }
  std::string operator()(const Findings& block) const {
    return tag("div", "findings", "\n" + items(block.sentences) + (*this)(Paragraph{block.basis})) +
           "\n";
  }
  std::string operator()(const Definitions& block) const {
    std::string out;
    for (const auto& [name, meaning] : block.entries)
      out += tag("dt", "", escaped(name)) + tag("dd", "", escaped(meaning)) + "\n";
    return out.empty() ? out : tag("dl", "", "\n" + out) + "\n";
  }
  std::string operator()(const Preformatted& block) const {
    return "<pre tabindex=\"0\">" + escaped(block.text) + "</pre>\n";
  }
  std::string operator()(const Table& table) const {
    constexpr std::size_t kMostRows = 5'000;  // a page of a few megabytes
    const std::size_t count = table.rows.size();
    if (count == 0) return {};
    if (count <= table.most_rows) return tableHtml(table, table.caption, count);
    const std::size_t most = std::min(count, kMostRows);
    const std::string line = most == count
                                 ? "All " + counted(std::ssize(table.rows), table.noun)
                                 : "The first " + counted(kMostRows, table.noun) + " of " +
                                       std::to_string(count) + "; -o json has all";
    const std::string first = "the first " + std::to_string(table.most_rows);
    return tableHtml(table, table.caption.empty() ? first : table.caption + ": " + first,
                     table.most_rows) +
           folded(line, tableHtml(table, table.caption, most));
  }
  std::string operator()(const Pictures& block) const {
    std::string out;
    for (const Drawing& drawing : block.drawings)
      out += inlineSvg(drawing);
    return out.empty() ? out : tag("div", "pictures", "\n" + out) + "\n";
  }
};

}  // namespace

std::string toPage(const Report& report) {
  std::string content;
  for (const Section& section : report.sections) {
    if (section.audience == Audience::kTerminal) continue;
    std::string blocks;
    for (const Block& block : section.blocks)
      blocks += std::visit(BlockHtml(), block);
    if (blocks.empty()) continue;
    if (!section.fold.empty()) blocks = folded(section.fold, blocks);
    content +=
        section.heading.empty()
            ? blocks
            : tag("section", "", "\n" + tag("h2", "", escaped(section.heading)) + "\n" + blocks) +
                  "\n";
  }
  const Heading& heading = report.heading;
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n" + std::string(kHead) +
         tag("title", "", escaped(heading.title + " - " + heading.kind)) + "\n" + stylesOf() +
         "</head>\n<body>\n<main>\n" + headerHtml(heading) + content +
         "</main>\n</body>\n</html>\n";
}

}  // namespace sumac::report
