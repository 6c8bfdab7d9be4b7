#include "io/hdf5/context.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace cisolve::io::hdf5 {
namespace {

struct Reason {
  std::string text = "no reason given";
  bool lock = false;
};

/// Extracts the system's message from HDF5's text: "…, error message = '…', buf = …".
std::string plain(const std::string& text) {
  constexpr std::string_view before = "error message = '";
  const std::size_t at = text.find(before);
  if (at == std::string::npos) return text;
  const std::size_t begin = at + before.size();
  return text.substr(begin, text.find('\'', begin) - begin);
}

/// Callback for each entry of HDF5's error stack, innermost first.
herr_t collect(unsigned number, const H5E_error2_t* entry, void* data) {
  auto& reason = *static_cast<Reason*>(data);
  if (number == 0 && entry->desc != nullptr) reason.text = plain(entry->desc);
  if (entry->min_num == H5E_CANTLOCKFILE) reason.lock = true;
  return 0;
}

}  // namespace

void FileContext::refuse_call(std::string_view call, std::string_view object,
                              const std::source_location& place) const {
  Reason reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, collect, &reason);
  if (reason.lock)
    base::fail(base::ErrorKind::cannot_write, file, ": HDF5 cannot lock the file (", reason.text,
               "); another program has the file open, or its file system has no ",
               "locks: wait, set HDF5_USE_FILE_LOCKING=FALSE, or copy the file to a local disk");
  base::fail(fault, file, ": ", object, ": ", call, " failed: ", reason.text, " (",
             std::filesystem::path(place.file_name()).filename().native(), ":", place.line(), "); ",
             remedy);
}

}  // namespace cisolve::io::hdf5
