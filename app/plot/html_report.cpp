#include "app/plot/html_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>

#include "app/config/energy_unit.hpp"
#include "app/config/version.hpp"
#include "app/plot/drawings.hpp"
#include "base/error.hpp"
#include "base/number.hpp"

namespace cisolve::app {
namespace {

using base::Index;

constexpr const char* kStyle =
    ":root{color-scheme:light}"
    "body{font:16px/1.5 sans-serif;color:#222;background:#fff;max-width:62em;margin:2em auto;"
    "padding:0 1em}"
    "h1{font-size:1.6em;overflow-wrap:anywhere}"
    ".wide{overflow-x:auto;margin:1em 0}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    "th,td{padding:.2em .8em;border-bottom:1px solid #ddd;text-align:right;white-space:nowrap}"
    "th:first-child,td:first-child,.facts td{text-align:left}"
    ".facts td:first-child{color:#555}"
    "figure{margin:2em 0}img{max-width:100%}figcaption{color:#555}"
    ".bad{color:#b00020;font-weight:bold}"
    "@media(max-width:40em){img{max-width:none;width:34em}}";  // legible; one scrolls to the rest

std::string for_html(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += c;
    }
  }
  return result;
}

std::string base64(const std::string& bytes) {
  constexpr const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word = (word << 8) | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k > bytes.size() ? '=' : digits[(word >> (18 - 6 * k)) & 63];
  }
  return text;
}

std::string row(const std::vector<std::string>& cells, const char* tag) {
  std::string text = "<tr>";
  for (const std::string& cell : cells)
    text += base::concat('<', tag, '>', for_html(cell), "</", tag, '>');
  return text + "</tr>\n";
}

// Tables wider than the window scroll by themselves.
std::string table(const std::string& rows, const char* attributes = "") {
  return base::concat("<div class=\"wide\"><table", attributes, ">\n", rows, "</table></div>\n");
}

// Formats a number by the ending of its key: seconds, bytes; large counts in groups.
std::string number_for_people(std::string_view key, double value) {
  constexpr double most = 0x1p53;
  if (key == "gflops" || key == "gbytes_per_s") return base::brief(value);
  if (key.ends_with("_s")) return base::human_seconds(value);
  const bool whole = std::abs(value) < most && value == std::floor(value);
  if (whole && key.starts_with("bytes"))
    return base::concat(base::human_bytes(static_cast<Index>(value)), " (",
                        base::grouped(static_cast<Index>(value)), ")");
  if (whole) return base::grouped(static_cast<Index>(value));
  return std::abs(value) < 1e-3 ? base::scientific(value, 1) : base::rounded(value);
}

// A scalar, or a list of them; empty for anything else.
std::string fact(std::string_view key, const Json& value) {
  if (value.truth()) return *value.truth() ? "yes" : "no";
  if (const auto number = value.number()) return number_for_people(key, *number);
  if (value.items().empty()) return value.text();
  std::vector<std::string> texts;
  for (const Json& item : value.items())
    if (const std::string text = fact(key, item); !text.empty()) texts.push_back(text);
  return base::joined(texts);
}

// Adds a row such as "rows: 4,096" for each member of a section.
void add_facts(const Json& section, const std::string& title, std::string& page) {
  std::string facts;
  for (const auto& [key, value] : section.members()) {
    const std::string text = fact(key, value);
    const bool is_time = key.ends_with("_s") && !key.ends_with("_per_s");
    std::string name = is_time ? key.substr(0, key.size() - 2) : key;
    std::ranges::replace(name, '_', ' ');
    if (!text.empty()) facts += row({name, text}, "td");
  }
  if (!facts.empty()) page += "<h2>" + title + "</h2>\n" + table(facts, " class=\"facts\"");
}

std::string number_text(const Json& value, std::string (*write)(double, int), int decimals) {
  const auto number = value.number();
  return number ? write(*number, decimals) : "";
}

/// The unit of the excitation energies of several states, if they have one.
std::optional<EnergyUnit> excitation_unit_of(const Json& record) {
  if (record["states"].items().size() < 2) return std::nullopt;
  return job::choice_named<EnergyUnit>(record["excitation_unit"].text());
}

std::string excitation_cell(const Json& state, EnergyUnit unit) {
  const auto ev = state["excitation_ev"].number();
  if (!ev) return "";
  const std::optional<double> value = excitation_in(unit, *ev / hartree_in(EnergyUnit::ev));
  return value ? base::fixed(*value, decimals_in(unit)) : "-";
}

void add_states(const Json& record, std::string& page) {
  const auto& states = record["states"].items();
  if (states.empty()) return;
  const auto any_has = [&](const char* key) {
    return std::ranges::any_of(states, [&](const auto& state) { return !state[key].is_null(); });
  };
  const bool spins = any_has("s2");
  const bool irreps = any_has("irrep");
  const std::optional<EnergyUnit> unit = excitation_unit_of(record);
  std::vector<std::string> header{"state", "energy"};
  if (unit) header.push_back(base::concat(relation_in(*unit), " (", symbol_of(*unit), ")"));
  header.insert(header.end(), {"residual", "error bound"});
  if (spins) header.emplace_back("<S^2>");
  if (irreps) header.emplace_back("irrep");
  header.emplace_back("converged");
  std::string rows = row(header, "th");
  for (std::size_t j = 0; j < states.size(); ++j) {
    std::vector<std::string> cells{std::to_string(j + 1),
                                   number_text(states[j]["energy"], base::fixed, 12)};
    if (unit) cells.push_back(excitation_cell(states[j], *unit));
    cells.insert(cells.end(), {number_text(states[j]["residual"], base::scientific, 1),
                               number_text(states[j]["error_bound"], base::scientific, 1)});
    if (spins) cells.push_back(number_text(states[j]["s2"], base::fixed, 6));
    if (irreps) {
      const std::string name = states[j]["irrep_name"].text();
      cells.push_back(states[j]["irrep"].text() + (name.empty() ? "" : " ") + name +
                      (states[j]["irrep_assumed"].truth() == true ? "?" : ""));
    }
    cells.emplace_back(states[j]["converged"].truth() == true ? "yes" : "no");
    rows += row(cells, "td");
  }
  page += "<h2>States</h2>\n" + table(rows);
  if (const std::string note = record["s2_note"].text(); !note.empty())
    page += "<p>&lt;S^2&gt; was not computed: " + for_html(note) + ".</p>\n";
  if (const std::string note = record["multiplet"]["note"].text(); !note.empty())
    page += "<p class=\"bad\">" + for_html(note) + ".</p>\n";
}

void add_verdict(const Json& record, std::string& page) {
  const auto passed = record["verification"]["passed"].truth();
  const auto converged = record["solver"]["converged"].truth();
  if (!passed) return;
  if (!*passed)
    page += "<p class=\"bad\">The verification failed.</p>\n";
  else if (converged == false)
    page += "<p class=\"bad\">Not finished: some states are above the tolerance.</p>\n";
  else
    page += "<p>Verified through a second operator.</p>\n";
}

void add_points(const Json& record, std::string& page) {
  const auto& points = record["points"].items();
  if (points.empty()) return;
  std::vector<std::string> header{"point"};
  for (const Json& axis : record["sweep"].items()) header.push_back(axis["key"].text());
  header.insert(header.end(), {"format", "BOUNDARY", "time", "GFLOP/s", "GB/s", "memory"});
  const bool solved = std::ranges::any_of(
      points, [](const Json& point) { return !point["energies"].items().empty(); });
  if (solved) header.emplace_back("energy");
  std::string rows = row(header, "th");
  for (const Json& point : points) {
    std::vector<std::string> cells{point["number"].text()};
    for (const auto& [key, value] : point["values"].members()) cells.push_back(value.text());
    const auto time = point["product"]["median_s"].number();
    const auto bytes = point["operator"]["bytes"].number();
    const auto& energies = point["energies"].items();
    cells.insert(cells.end(),
                 {point["operator"]["format"].text(), point["operator"]["boundary"].text(),
                  time ? base::human_seconds(*time) : point["reason"].text(),
                  number_text(point["product"]["gflops"], base::fixed, 2),
                  number_text(point["product"]["gbytes_per_s"], base::fixed, 2),
                  bytes ? base::human_bytes(static_cast<Index>(*bytes)) : ""});
    if (solved)
      cells.push_back(energies.empty() ? "" : number_text(energies.front(), base::fixed, 10));
    rows += row(cells, "td");
  }
  page += "<h2>Points</h2>\n" + table(rows);
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::string html_report(const std::string& title, const Json& record,
                        const std::vector<Figure>& figures, const std::filesystem::path& folder) {
  std::string page =
      "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
      "<title>" +
      for_html(title) + "</title><style>" + kStyle + "</style></head>\n<body>\n<h1>" +
      for_html(title) + "</h1>\n";
  add_verdict(record, page);
  add_states(record, page);
  for (const Figure& figure : figures)
    page += "<figure><div class=\"wide\"><img alt=\"" + for_html(figure.name) +
            "\" src=\"data:image/svg+xml;base64," +
            base64(contents(folder / (figure.name + ".svg"))) + "\"></div>\n<figcaption>" +
            for_html(figure.caption) + "</figcaption></figure>\n";
  add_points(record, page);
  constexpr std::array<std::array<const char*, 2>, 9> sections{{
      {"problem", "Problem"},
      {"space", "Space"},
      {"operator", "Operator"},
      {"product", "Product"},
      {"product_verification", "Verification of the product"},
      {"backend", "Backend"},
      {"solver", "Solver"},
      {"verification", "Verification of the states"},
      {"timings", "Times"},
  }};
  for (const auto& [key, name] : sections) add_facts(record[key], name, page);
  // Version of the program that computed the results.
  const std::string version = record["version"].text();
  return page + kReportSign + (version.empty() ? kVersion : for_html(version)) + kReportEnd;
}

}  // namespace cisolve::app
