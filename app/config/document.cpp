#include "app/config/document.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "app/config/utf8.hpp"
#include "base/error.hpp"

namespace cisolve::app {
namespace {

using base::ErrorKind;

constexpr std::size_t kMostBytes = std::size_t{256} << 10;
constexpr std::size_t kMostLevels = 16;
constexpr std::size_t kMostKeys = 200;  // keys in one section

// Builds the tree from the parser's events. An exception at the first event that is not allowed
// stops the parser, so no hostile document is read to its end.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view origin, std::string_view text) : origin_(origin), text_(text) {}

  DocumentNode take_root() { return std::move(root_); }
  bool has_root() const { return has_root_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (has_root_)
      refuse(mark, "a second document begins here; expected one document: remove the '---'");
  }
  void OnDocumentEnd() override {}
  void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
    refuse(mark, "the anchor '&" + name + "' is not allowed; write the value out");
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    refuse(mark, "an alias is not allowed; write the value out");
  }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    require_plain(mark, {}, anchor);
    if (expects_key()) refuse(mark, "an entry has no key; expected 'key: value'");
    if (key_given_ && are_blocks_.back()) require_colon();
    add(node(DocumentNode::Kind::null, mark));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    require_plain(mark, tag, anchor);
    if (tag == "!") require_closed_quotation(mark);
    require_no_control_character(mark, value);
    if (expects_key()) return begin_entry(mark, value);
    DocumentNode scalar = node(DocumentNode::Kind::scalar, mark);
    scalar.text = value;
    scalar.quoted = tag == "!";
    add(std::move(scalar));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(DocumentNode::Kind::sequence, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(DocumentNode::Kind::map, mark, tag, anchor);
    are_blocks_.push_back(style == YAML::EmitterStyle::Block);
  }
  void OnMapEnd() override {
    close();
    are_blocks_.pop_back();
  }

 private:
  [[noreturn]] void refuse(const YAML::Mark& mark, const std::string& message) const {
    base::fail(ErrorKind::configuration, place(origin_, mark.line + 1), message);
  }

  // The parser marks plain and quoted scalars by the tags "?" and "!".
  void require_plain(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) const {
    if (anchor != 0) refuse(mark, "an anchor is not allowed; write the value out");
    if (!tag.empty() && tag != "?" && tag != "!")
      refuse(mark, "the tag '" + tag + "' is not allowed; write only the value");
  }

  // In double quotes, escapes such as "\a" create control characters.
  void require_no_control_character(const YAML::Mark& mark, const std::string& value) const {
    for (const char c : value) {
      const auto byte = static_cast<unsigned char>(c);
      if ((byte < 0x20 && c != '\t') || byte == 0x7f)
        refuse(mark, base::concat("a key or a value contains a control character (byte ",
                                  static_cast<int>(byte), "); remove it"));
    }
  }

  // The parser accepts a missing quotation mark at the end of the text, which would swallow keys; a
  // quotation must therefore end in its line.
  void require_closed_quotation(const YAML::Mark& mark) {
    const std::string_view rest = rest_of_line(mark.line, mark.column);
    const char quote = rest.empty() ? '\0' : rest.front();
    if (quote != '"' && quote != '\'')
      refuse(mark, "a text block is not allowed; expected a value on one line");
    const std::string_view escaped_quote = quote == '"' ? "\\\"" : "''";
    std::size_t at = 1;
    while (at < rest.size()) {
      const std::string_view two = rest.substr(at, 2);
      if (two == escaped_quote || (quote == '"' && two == "\\\\"))
        at += 2;
      else if (rest[at] == quote)
        return;
      else
        ++at;
    }
    refuse(mark, "a quoted text does not end on its line; add its closing quote");
  }

  // The parser takes a last word without a colon, as in a file that was cut, for an empty section.
  // It rejects unclosed braces itself.
  void require_colon() {
    std::string_view rest = rest_of_line(key_line_ - 1, key_column_);
    const std::size_t quotes = rest.starts_with('"') || rest.starts_with('\'') ? 2 : 0;
    rest.remove_prefix(std::min(key_.size() + quotes, rest.size()));
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r"), rest.size()));
    if (!rest.starts_with(':'))
      base::fail(ErrorKind::configuration, place(origin_, key_line_), "'", key_.substr(0, 40),
                 "' has no colon, as in a truncated file; expected 'KEY: VALUE'");
  }

  // Lines must be requested in ascending order.
  std::string_view rest_of_line(int line, int column) {
    for (; line_ < line; ++line_) line_begin_ = text_.find('\n', line_begin_) + 1;
    std::string_view rest = text_.substr(line_begin_);
    rest = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min<std::size_t>(column, rest.size()));
    return rest;
  }

  bool expects_key() const {
    return !open_.empty() && open_.back().kind == DocumentNode::Kind::map && !key_given_;
  }

  void begin_entry(const YAML::Mark& mark, const std::string& key) {
    for (const DocumentNode& earlier : open_.back().children)
      if (earlier.key == key)
        refuse(mark, base::concat("key '", key, "' is given twice; it was first given on line ",
                                  earlier.line));
    if (open_.back().children.size() == kMostKeys)
      refuse(mark, base::concat("a section has more than ", kMostKeys, " keys"));
    key_ = key;
    key_line_ = mark.line + 1;
    key_column_ = mark.column;
    key_given_ = true;
  }

  DocumentNode node(DocumentNode::Kind kind, const YAML::Mark& mark) {
    DocumentNode made;
    made.kind = kind;
    made.line = key_given_ ? key_line_ : mark.line + 1;
    if (key_given_) made.key = std::move(key_);
    key_given_ = false;
    return made;
  }

  void open(DocumentNode::Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor) {
    require_plain(mark, tag, anchor);
    if (expects_key()) refuse(mark, "a list or a section is used as a key; expected 'key: value'");
    if (open_.size() == kMostLevels)
      refuse(mark, base::concat("sections and lists are nested too deeply; expected at most ",
                                kMostLevels, " levels"));
    open_.push_back(node(kind, mark));
  }

  void close() {
    DocumentNode closed = std::move(open_.back());
    open_.pop_back();
    add(std::move(closed));
  }

  void add(DocumentNode complete) {
    if (!open_.empty()) {
      open_.back().children.push_back(std::move(complete));
    } else {
      root_ = std::move(complete);
      has_root_ = true;
    }
  }

  std::string_view origin_;
  std::string_view text_;
  int line_ = 0;  // line of the last request, and its position in the text
  std::size_t line_begin_ = 0;
  DocumentNode root_;
  bool has_root_ = false;
  std::vector<DocumentNode> open_;
  std::vector<bool> are_blocks_;  // for each open map, whether it is in block style, not in braces
  std::string key_;
  int key_line_ = 0;
  int key_column_ = 0;
  bool key_given_ = false;
};

// Rejects what the parser ignores silently: it takes byte 4 for the end of the text and stops at a
// directive after a document.
void require_text(const std::string& text, std::string_view origin) {
  if (text.size() > kMostBytes)
    base::fail(ErrorKind::configuration, origin, ": a file of ", text.size(),
               " bytes is too long for a configuration; ", "expected at most ", kMostBytes,
               " bytes");
  int line = 1;
  char before = '\n';
  for (const char c : text) {
    if (c == '\n') ++line;
    if (c == '%' && before == '\n')
      base::fail(ErrorKind::configuration, place(origin, line),
                 "a YAML directive is not allowed; expected lines of 'key: value'");
    before = c;
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 32 && c != '\n' && c != '\r' && c != '\t') || byte == 127)
      base::fail(ErrorKind::configuration, place(origin, line),
                 "the text contains a control character (byte ", static_cast<int>(byte),
                 "); expected UTF-8 text");
  }
}

}  // namespace

std::string place(std::string_view origin, int line) {
  return line > 0 ? base::concat(origin, ":", line, ": ") : base::concat(origin, ": ");
}

DocumentNode parse_document(std::string text, std::string_view origin) {
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  require_text(text, origin);
  std::istringstream stream(text);
  TreeBuilder tree(origin, text);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(tree)) {
    }
  } catch (const YAML::Exception& error) {
    base::fail(ErrorKind::configuration, place(origin, error.mark.line + 1),
               "this is not YAML: ", error.msg, "; expected lines of 'key: value'");
  }
  if (!tree.has_root())
    base::fail(ErrorKind::configuration, origin, ": the configuration is empty; ",
               "expected at least 'problem:' with its source");
  return tree.take_root();
}

void require_utf8(std::string_view text, std::string_view origin) {
  int line = 1;
  char quote = '\0';   // the one that is open; it ends in its line
  char before = '\n';  // the preceding character
  bool is_comment = false;
  while (!text.empty()) {
    const char c = text.front();
    const std::size_t length = utf8_length(text);
    if (length == 0 && quote == '\0')
      base::fail(
          ErrorKind::configuration, place(origin, line), "byte ",
          static_cast<int>(static_cast<unsigned char>(c)), is_comment ? " in a comment" : "",
          " is not valid UTF-8; expected UTF-8 text; only quoted file names may contain other ",
          "bytes");
    if (c == '\n') {
      ++line;
      quote = '\0';
      is_comment = false;
    } else if (quote != '\0') {
      if (c == quote && (c == '\'' || before != '\\')) quote = '\0';
    } else if (!is_comment &&
               std::string_view(" \t\n,:[{").find(before) != std::string_view::npos) {
      is_comment = c == '#';
      if (c == '"' || c == '\'') quote = c;
    }
    before = c == '\\' && before == '\\' ? ' ' : c;
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
}

void require_no_geometry(const std::string& path) {
  if (!path.ends_with(".xyz")) return;
  base::fail(ErrorKind::configuration, path,
             " is a molecular geometry; expected a configuration, or integrals, ",
             "which 'scripts/fcidump-of-molecule.py ", path, " -o molecule.fcidump' computes with ",
             "PySCF");
}

std::string read_configuration_text(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    base::fail(ErrorKind::no_input, path, " is a directory; expected a configuration file");
  std::ifstream file(path, std::ios::binary);
  if (!file)
    base::fail(ErrorKind::no_input, "cannot open the configuration ", path,
               "; expected a YAML or JSON file, such as configs/quickstart.yaml");
  require_no_geometry(path);
  std::string text(kMostBytes + 1, '\0');
  file.read(text.data(), std::ssize(text));
  text.resize(file.gcount());
  return text;
}

}  // namespace cisolve::app
