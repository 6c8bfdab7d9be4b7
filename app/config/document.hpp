#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cisolve::app {

/// One value of a YAML document: no anchors, no aliases, no tags, no repeated keys, and the line of
/// each part. Scalars stay text; the schema says what they mean.
struct DocumentNode {
  enum class Kind { null, scalar, sequence, map };

  Kind kind = Kind::null;
  int line = 0;         // 1-based; of the key if there is one
  std::string key;      // key, if the node is an entry of a map
  std::string text;     // text, if the node is a scalar
  bool quoted = false;  // a quoted scalar is text, never a number
  std::vector<DocumentNode> children;
};

/// "file:line: ", or "origin: " for a text of one line from the command line.
std::string place(std::string_view origin, int line);

/// Parses exactly one document. Throws ErrorKind::configuration, with origin and line, for YAML
/// features that a configuration does not use, before they cost time or memory.
DocumentNode parse_document(std::string text, std::string_view origin);

/// Throws ErrorKind::configuration, with origin and line, for a byte that is not UTF-8. Any byte is
/// allowed within quotation marks, since file names may contain it.
void require_utf8(std::string_view text, std::string_view origin);

/// The text of a configuration file, of bounded size; ErrorKind::no_input when it is not there.
std::string read_configuration_text(const std::string& path);

/// Throws ErrorKind::configuration for a molecular geometry (.xyz): it contains no integrals.
void require_no_geometry(const std::string& path);

}  // namespace cisolve::app
