#include "io/molecules/fcidump_header.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include "ci/fock/integrals/integrals.hpp"
#include "ci/fock/integrals/point_group.hpp"
#include "io/files/line_scanner.hpp"

namespace cisolve::io {
namespace {

using base::concat;

// Exceeds a header of 512 spin orbitals with a line and a comment per value.
constexpr std::size_t kMostHeaderBytes = std::size_t{1} << 20;
constexpr std::size_t kMostKeys = 200;

std::string upper_case(std::string_view word) {
  std::string upper(word.substr(0, 40));
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    if (c < ' ' || c > '~') c = '?';
  }
  return upper;
}

/// The words of a Fortran namelist, separated by blanks, commas and line ends.
class NamelistWords {
 public:
  explicit NamelistWords(std::string_view text)
      : at_(text.data()), end_(text.data() + text.size()) {}

  const char* at() const { return at_; }
  bool at_end() const { return at_ == end_; }
  bool at_key_mark() const { return at_ != end_ && *at_ == '='; }
  void pass_key_mark() {
    ++at_;
    skip_gap();
  }

  /// Skips blanks, separators and comments.
  void skip_gap() {
    for (; at_ != end_; ++at_) {
      if (*at_ == '!') skip_to_line_end();
      if (at_ == end_) return;
      require_text();
      if (!is_gap(*at_)) return;
    }
  }

  std::string_view word() {
    const char* begin = at_;
    if (*at_ == '/') return {begin, ++at_};
    if (*at_ == '\'' || *at_ == '"') return quoted();
    do ++at_;
    while (at_ != end_ && !is_gap(*at_) && !ends_word(*at_));
    return {begin, at_};
  }

  /// Stops after `bytes` more.
  void limit(std::size_t bytes) {
    if (static_cast<std::size_t>(end_ - at_) <= bytes) return;
    end_ = at_ + bytes;
    is_cut_ = true;
  }
  bool is_cut() const { return is_cut_; }

 private:
  static bool is_gap(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ','; }
  static bool ends_word(char c) {
    return c == '=' || c == '/' || c == '&' || c == '$' || c == '!' || c == '\'' || c == '"' ||
           c == '\0';
  }
  /// Throws at a zero byte: a damaged file may hold gigabytes of them.
  void require_text() const {
    if (*at_ == '\0') refuse_zero_byte(at_);
  }
  void skip_to_line_end() {
    while (at_ != end_ && *at_ != '\n') {
      require_text();
      ++at_;
    }
  }
  std::string_view quoted() {
    const char* begin = at_;
    const char quote = *at_++;
    for (; at_ != end_ && *at_ != quote && *at_ != '\n'; ++at_) require_text();
    if (at_ == end_ || *at_ != quote)
      throw TextProblem{begin, "a text has no closing quote; expected one on the same line"};
    return {begin, ++at_};
  }

  const char* at_;
  const char* end_;
  bool is_cut_ = false;
};

Index parse_number(std::string_view word, std::string_view key) {
  std::string_view digits = word;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  Index value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (error != std::errc() || stop != end || digits.size() > 18 || digits.empty())
    throw TextProblem{word.data(), concat(key, " has the value '", upper_case(word),
                                          "'; expected a whole number of at most 18 digits")};
  return value;
}

bool parse_flag(std::string_view word, std::string_view key) {
  std::string upper = upper_case(word);
  std::erase(upper, '.');
  if (upper == "TRUE" || upper == "T" || upper == "1") return true;
  if (upper == "FALSE" || upper == "F" || upper == "0") return false;
  throw TextProblem{word.data(), concat(key, " has the value '", upper_case(word),
                                        "'; expected .TRUE. or .FALSE.")};
}

/// Assigns each value of the namelist to the field of its key.
class HeaderFiller {
 public:
  explicit HeaderFiller(FcidumpHeader& header) : header_(header) {}

  void begin_key(std::string_view word) {
    require_value();
    key_ = upper_case(word);
    if (key_ == "NORBS") key_ = "NORB";
    key_at_ = word.data();
    values_ = 0;
    if (!seen_.insert(key_).second)
      throw TextProblem{key_at_, concat(key_, " is given twice; expected it once")};
    if (seen_.size() > kMostKeys)
      throw TextProblem{key_at_, concat("the header has more than ", kMostKeys, " keys; expected ",
                                        "NORB, NELEC, MS2, ORBSYM, ISYM and few others")};
    if (key_ == "ORBSYM") header_.symmetries_at = key_at_;
  }

  void add_value(std::string_view word) {
    if (key_.empty())
      throw TextProblem{word.data(),
                        concat("'", upper_case(word), "' stands before any key; expected ",
                               "NORB=, NELEC= and so on")};
    ++values_;
    if (key_ == "ORBSYM") return add_symmetries(word);
    if (is_momentum()) note_momentum(word);
    const bool known = set_number(word) || set_flag(word) || set_point_group(word);
    if (known && values_ > 1)
      throw TextProblem{word.data(), concat(key_, " has a second value '", upper_case(word),
                                            "'; expected the next key, or '/' or '&END' to close ",
                                            "the header")};
    if (!known && values_ == 1) header_.ignored.push_back(key_);
  }

  void require_value() const {
    if (!key_.empty() && values_ == 0 && key_ != "ORBSYM")
      throw TextProblem{key_at_, concat(key_, " has no value; expected one after its '='")};
  }

 private:
  bool set_number(std::string_view word) {
    std::optional<FcidumpNumber>* field = key_ == "NORB"    ? &header_.orbitals
                                          : key_ == "NELEC" ? &header_.electrons
                                          : key_ == "MS2"   ? &header_.ms2
                                          : key_ == "ISYM"  ? &header_.irrep
                                                            : nullptr;
    if (field == nullptr) return false;
    if (values_ == 1) *field = FcidumpNumber{parse_number(word, key_), word.data()};
    return true;
  }

  bool set_flag(std::string_view word) {
    if (key_ != "UHF" && key_ != "IUHF") return false;
    if (values_ > 1) return true;
    const bool set = parse_flag(word, key_);
    header_.spin_dependent |= set;
    header_.blocks |= set && key_ == "IUHF";
    return true;
  }

  bool is_momentum() const { return key_ == "SYMLZ" || key_ == "KSYM"; }

  /// Notes the first value, such as "1" or "4*1", that is not 0: its orbitals are not real.
  void note_momentum(std::string_view word) {
    const std::size_t star = word.find('*');
    const std::string_view value = star == std::string_view::npos ? word : word.substr(star + 1);
    if (header_.momenta_at == nullptr && parse_number(value, key_) != 0)
      header_.momenta_at = word.data();
  }

  /// Ignores groups whose irreps have no names here.
  bool set_point_group(std::string_view word) {
    if (key_ != "PNTGRP") return false;
    std::string name = upper_case(word);
    std::erase_if(name, [](char c) { return c == '\'' || c == '"' || c == ' '; });
    if (ci::abelian_group(name).empty()) return false;
    header_.point_group = std::move(name);
    return true;
  }

  /// A value, or "4*1" for four times 1.
  void add_symmetries(std::string_view word) {
    const std::size_t star = word.find('*');
    Index times = 1;
    if (star != std::string_view::npos) {
      times = parse_number(word.substr(0, star), key_);
      word.remove_prefix(star + 1);
    }
    const Index value = parse_number(word, key_);
    constexpr Index most = Index{2} * ci::kMostOrbitals;
    if (times < 0 || times > most - std::ssize(header_.symmetries))
      throw TextProblem{word.data(),
                        concat("ORBSYM has more than ", most, " orbital symmetries; expected ",
                               "one for each of at most ", most, " spin orbitals")};
    header_.symmetries.insert(header_.symmetries.end(), times, value);
  }

  FcidumpHeader& header_;
  std::set<std::string> seen_;
  std::string key_;
  const char* key_at_ = nullptr;
  Index values_ = 0;
};

bool closes_header(std::string_view word) {
  const std::string upper = upper_case(word);
  return upper == "/" || upper == "&END" || upper == "$END" || upper == "&" || upper == "$";
}

/// Begin of the line after the header; only a comment may follow the header's end.
const char* begin_of_body(const char* at, const char* end) {
  while (at != end && *at != '\n' && (*at == ' ' || *at == '\t' || *at == '\r' || *at == ',')) ++at;
  if (at != end && *at != '\n' && *at != '!')
    throw TextProblem{at,
                      "text follows the end of the header; expected the integrals on the next "
                      "lines"};
  LineScanner line(at, end, '!');
  line.skip_line();
  return line.at();
}

}  // namespace

FcidumpHeader parse_fcidump_header(std::string_view text) {
  FcidumpHeader header;
  header.body = text.data();
  NamelistWords words(text);
  words.skip_gap();
  if (words.at_end())
    throw TextProblem{words.at(), "the file is empty; expected &FCI and integrals"};
  if (*words.at() != '&' && *words.at() != '$') return header;
  const std::string_view opening = words.word();
  if (upper_case(opening) != "&FCI" && upper_case(opening) != "$FCI")
    throw TextProblem{opening.data(),
                      concat("the header begins with '", upper_case(opening), "'; expected &FCI")};
  header.present = true;
  words.limit(kMostHeaderBytes);
  HeaderFiller filler(header);
  for (words.skip_gap(); !words.at_end(); words.skip_gap()) {
    const std::string_view word = words.word();
    if (closes_header(word)) {
      filler.require_value();
      header.body = begin_of_body(words.at(), text.data() + text.size());
      return header;
    }
    words.skip_gap();
    if (words.at_key_mark()) {
      filler.begin_key(word);
      words.pass_key_mark();
    } else {
      filler.add_value(word);
    }
  }
  if (words.is_cut())
    throw TextProblem{opening.data(), concat("the header has more than ", kMostHeaderBytes,
                                             " bytes; expected '/' or '&END' before that")};
  throw TextProblem{words.at(),
                    "the file ends in its header; expected '/' or '&END' and integrals"};
}

}  // namespace cisolve::io
