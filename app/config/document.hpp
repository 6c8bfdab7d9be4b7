#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cisolve::app {

/// One value of a YAML document: no anchors, no aliases, no tags, no repeated keys, and the line of
/// each part. Scalars stay text; what they mean is the schema's business.
struct DocumentNode {
  enum class Kind { null, scalar, sequence, map };

  Kind kind = Kind::null;
  int line = 0;         // 1-based; of the key where there is one
  std::string key;      // of an entry in a map
  std::string text;     // of a scalar
  bool quoted = false;  // a quoted scalar is text, never a number
  std::vector<DocumentNode> children;
};

/// "file:line: ", or "origin: " for a text of one line from the command line.
std::string place(std::string_view origin, int line);

/// Reads exactly one document. Throws Fault::configuration, naming origin and line, for all that
/// YAML allows and a configuration has no use for, before it costs time or memory.
DocumentNode parse_document(std::string text, std::string_view origin);

/// Throws Fault::configuration, naming origin and line, for a byte that is no UTF-8. Within
/// quotation marks any may stand, since names of files may hold them.
void require_utf8(std::string_view text, std::string_view origin);

/// The text of a configuration file, of bounded size; Fault::no_input when it is not there.
std::string read_configuration_text(const std::string& path);

/// Throws Fault::configuration for a file that is named as a molecule's geometry: it holds no
/// problem yet.
void require_no_geometry(const std::string& path);

}  // namespace cisolve::app
