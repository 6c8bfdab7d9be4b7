#include "python/core/errors.hpp"

#include <nanobind/nanobind.h>

#include "base/error.hpp"

namespace cisolve::python {
namespace {

namespace nb = nanobind;

// Names of the exceptions in ci_solve.errors.
const char* name_of(base::ErrorKind fault) {
  switch (fault) {
    case base::ErrorKind::usage: return "UsageError";
    case base::ErrorKind::bad_input: return "BadInputError";
    case base::ErrorKind::no_input: return "NoInputError";
    case base::ErrorKind::backend: return "BackendError";
    case base::ErrorKind::internal: return "InternalError";
    case base::ErrorKind::resources: return "ResourcesError";
    case base::ErrorKind::cannot_write: return "CannotWriteError";
    case base::ErrorKind::configuration: return "ConfigurationError";
  }
  return "InternalError";
}

void translate(const std::exception_ptr& raised, void* /*unused*/) {
  try {
    std::rethrow_exception(raised);
  } catch (const base::Error& error) {
    const nb::object kind = nb::module_::import_("ci_solve.errors").attr(name_of(error.kind()));
    PyErr_SetString(kind.ptr(), error.what());
  }
}

}  // namespace

void register_errors() { nb::register_exception_translator(translate); }

}  // namespace cisolve::python
