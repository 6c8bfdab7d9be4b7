#include "app/config/machine_rates.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>

#include "app/config/version.hpp"
#include "app/json/json.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "io/files/output_file.hpp"
#include "io/files/plain_path.hpp"

namespace cisolve::app {
namespace {

namespace fs = std::filesystem;

struct Member {
  const char* name;
  double job::MachineFactors::*value;
};
constexpr Member kMembers[] = {{"stored", &job::MachineFactors::stored},
                               {"coded", &job::MachineFactors::coded},
                               {"blocks", &job::MachineFactors::blocks},
                               {"rows", &job::MachineFactors::rows},
                               {"making", &job::MachineFactors::making}};

std::string folder_of(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr) return {};
  io::require_plain_path(value, variable);
  return value;
}

// File of one device; other characters of its name become '-'.
fs::path file_of(const std::string& name) {
  std::string plain = name;
  std::ranges::replace_if(
      plain, [](unsigned char c) { return std::isalnum(c) == 0; }, '-');
  return rates_folder() / base::concat("rates-", kVersion, '-', plain, ".json");
}

std::string owner_of(const std::string& name) {
  return name == job::kHostName ? processor_name() : name;
}

std::optional<job::MachineFactors> machine_factors_of(const Json& record) {
  job::MachineFactors factors{.is_measured = true};
  for (const Member& member : kMembers) {
    const auto value = record["rates"][member.name].number();
    if (!value || !job::is_possible_factor(*value)) return std::nullopt;
    factors.*member.value = *value;
  }
  return factors;
}

// Null if a file is damaged: the next calibration replaces it.
Json record_in(const fs::path& path) {
  constexpr std::uintmax_t most_bytes = 1 << 16;
  std::error_code error;
  if (fs::file_size(path, error) > most_bytes || error) return {};
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  try {
    return parse_json(text, path.string());
  } catch (const base::Error&) {
    return {};
  }
}

void take(const Json& record, job::MachineFactorsByName& machine_factors) {
  if (record["version"].text() != kVersion) return;
  const bool is_host = record["host"].truth().value_or(false);
  if (is_host && record["name"].text() != processor_name()) return;
  if (const auto factors = machine_factors_of(record))
    machine_factors[is_host ? job::kHostName : record["name"].text()] = *factors;
}

}  // namespace

fs::path rates_folder() {
  const fs::path cache = folder_of("XDG_CACHE_HOME");
  if (cache.is_absolute()) return cache / "ci-solve";
  const fs::path home = folder_of("HOME");
  return home.is_absolute() ? home / ".cache" / "ci-solve" : fs::path();
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

job::MachineFactorsByName machine_rates() {
  job::MachineFactorsByName machine_factors;
  const fs::path folder = rates_folder();
  if (folder.empty()) return machine_factors;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->path().filename().string().starts_with("rates-"))
      take(record_in(it->path()), machine_factors);
  return machine_factors;
}

void require_rates_folder(const std::string& name) {
  if (rates_folder().empty())
    base::fail(base::ErrorKind::cannot_write,
               "no folder is known in which to save rates; set XDG_CACHE_HOME or HOME");
  std::error_code error;
  fs::create_directories(rates_folder(), error);
  const io::OutputFile proof(file_of(owner_of(name)), true);
}

fs::path save_machine_rates(const std::string& name, const job::MachineFactors& factors) {
  require_rates_folder(name);
  const bool is_host = name == job::kHostName;
  const std::string whose = owner_of(name);
  std::vector<Json::Member> rates;
  for (const Member& member : kMembers) rates.emplace_back(member.name, factors.*member.value);
  io::OutputFile file(file_of(whose), true);
  file.append(Json::object({{"program", "ci-solve"},
                            {"version", kVersion},
                            {"name", whose},
                            {"host", is_host},
                            {"rates", Json::object(std::move(rates))}})
                  .document());
  file.commit();
  return file.path();
}

}  // namespace cisolve::app
