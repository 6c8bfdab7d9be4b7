#include "app/plot/record_file.hpp"

#include <fstream>
#include <iterator>

#include "base/error.hpp"

namespace cisolve::app {

namespace fs = std::filesystem;
using base::ErrorKind;
using base::fail;

std::optional<fs::path> find_record(const fs::path& folder) {
  std::optional<fs::path> newest;
  for (const char* name : {"run.json", "sweep.json"}) {
    std::error_code missing;
    const fs::path file = folder / name;
    const auto time = fs::last_write_time(file, missing);
    if (!missing && (!newest || time > fs::last_write_time(*newest, missing))) newest = file;
  }
  return newest;
}

namespace {

Json read_json(const fs::path& file) {
  constexpr std::uintmax_t most_bytes = std::uintmax_t{64} << 20;
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  if (error) fail(ErrorKind::no_input, file.native(), ": cannot be read: ", error.message());
  if (size > most_bytes)
    fail(ErrorKind::bad_input, file.native(), ": ", size, " bytes; expected a record of at most ",
         most_bytes);
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  return parse_json(text, file.string());
}

bool is_known(const Json& version) { return version.number() == 1 || version.number() == 2; }

}  // namespace

bool is_record(const fs::path& file) {
  try {
    const Json value = read_json(file);
    return !value["problem"].is_object() || !value["program"].is_null();
  } catch (const base::Error&) {
    return true;
  }
}

Json read_record(const fs::path& file) {
  Json record = read_json(file);
  if (record["program"].text() != "ci-solve" || !is_known(record["schema"]))
    fail(ErrorKind::bad_input, file.native(),
         ": not a record of this program; expected \"program\": ",
         "\"ci-solve\" and \"schema\": 1 or 2, as in run.json and sweep.json");
  return record;
}

}  // namespace cisolve::app
