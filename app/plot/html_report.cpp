#include "app/plot/html_report.hpp"

#include <cstdint>
#include <fstream>
#include <iterator>

#include "app/report/number.hpp"
#include "base/error.hpp"

namespace cisolve::app {
namespace {

constexpr const char* kStyle =
    "body{font:16px/1.5 sans-serif;color:#222;max-width:62em;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse;margin:1em 0;font-variant-numeric:tabular-nums}"
    "th,td{padding:.2em .8em;border-bottom:1px solid #ddd;text-align:right}"
    "th:first-child,td:first-child{text-align:left}"
    "figure{margin:2em 0}img{max-width:100%}figcaption{color:#555}"
    ".bad{color:#b00020;font-weight:bold}";

std::string escaped(const std::string& text) {
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
    text += base::concat('<', tag, '>', escaped(cell), "</", tag, '>');
  return text + "</tr>\n";
}

// "rows: 4096" for each scalar of a section.
void add_facts(const JsonValue& section, const std::string& name, std::string& page) {
  std::string facts;
  for (const auto& [key, value] : section.members()) {
    const std::string text = value.truth() ? (*value.truth() ? "yes" : "no") : value.text();
    if (!text.empty()) facts += row({key, text}, "td");
  }
  if (!facts.empty()) page += "<h2>" + name + "</h2>\n<table>\n" + facts + "</table>\n";
}

std::string number_text(const JsonValue& value, std::string (*write)(double, int), int decimals) {
  const auto number = value.number();
  return number ? write(*number, decimals) : "";
}

void add_states(const JsonValue& record, std::string& page) {
  const auto& states = record["states"].items();
  if (states.empty()) return;
  page += "<h2>States</h2>\n<table>\n" +
          row({"state", "energy", "residual", "error bound", "S^2", "irrep", "converged"}, "th");
  for (std::size_t j = 0; j < states.size(); ++j)
    page += row({std::to_string(j + 1), number_text(states[j]["energy"], fixed, 12),
                 number_text(states[j]["residual"], scientific, 1),
                 number_text(states[j]["error_bound"], scientific, 1),
                 number_text(states[j]["s2"], fixed, 6), states[j]["irrep"].text(),
                 states[j]["converged"].truth() == true ? "yes" : "no"},
                "td");
  page += "</table>\n";
}

void add_verdict(const JsonValue& record, std::string& page) {
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

void add_points(const JsonValue& record, std::string& page) {
  const auto& points = record["points"].items();
  if (points.empty()) return;
  std::vector<std::string> header{"point"};
  for (const JsonValue& axis : record["sweep"].items()) header.push_back(axis["key"].text());
  header.insert(header.end(), {"format", "BOUNDARY", "time", "GFLOP/s", "GB/s", "MiB", "energy"});
  page += "<h2>Points</h2>\n<table>\n" + row(header, "th");
  for (const JsonValue& point : points) {
    std::vector<std::string> cells{point["number"].text()};
    for (const auto& [key, value] : point["values"].members()) cells.push_back(value.text());
    const auto time = point["product"]["median_s"].number();
    const auto bytes = point["operator"]["bytes"].number();
    const auto& energies = point["energies"].items();
    cells.insert(cells.end(),
                 {point["operator"]["format"].text(), point["operator"]["boundary"].text(),
                  time ? human_seconds(*time) : point["reason"].text(),
                  number_text(point["product"]["gflops"], fixed, 2),
                  number_text(point["product"]["gbytes_per_s"], fixed, 2),
                  bytes ? fixed(*bytes / 1048576, 2) : "",
                  energies.empty() ? "" : number_text(energies.front(), fixed, 10)});
    page += row(cells, "td");
  }
  page += "</table>\n";
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::string html_report(const std::string& title, const JsonValue& record,
                        const std::vector<Figure>& figures, const std::filesystem::path& folder) {
  std::string page = "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>" +
                     escaped(title) + "</title><style>" + kStyle + "</style></head>\n<body>\n<h1>" +
                     escaped(title) + "</h1>\n";
  add_verdict(record, page);
  add_states(record, page);
  for (const Figure& figure : figures)
    page += "<figure><img alt=\"" + escaped(figure.name) + "\" src=\"data:image/svg+xml;base64," +
            base64(contents(folder / (figure.name + ".svg"))) + "\">\n<figcaption>" +
            escaped(figure.caption) + "</figcaption></figure>\n";
  add_points(record, page);
  for (const char* section :
       {"problem", "space", "operator", "backend", "solver", "verification", "timings"})
    add_facts(record[section], section, page);
  return page + "<p>Made by ci-solve " + escaped(record["version"].text()) +
         ".</p>\n</body>\n</html>\n";
}

}  // namespace cisolve::app
