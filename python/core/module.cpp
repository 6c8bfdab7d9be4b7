#include <nanobind/nanobind.h>
#include <omp.h>

#include <string>

#include "app/config/version.hpp"
#include "base/device.hpp"
#include "python/core/errors.hpp"
#include "python/core/full_ci.hpp"
#include "python/core/full_space.hpp"
#include "python/core/hamiltonian_module.hpp"
#include "python/core/integrals.hpp"
#include "python/core/orbitals.hpp"
#include "python/core/run.hpp"
#include "python/core/saved.hpp"
#include "python/core/solution.hpp"
#include "python/core/states.hpp"
#include "python/core/three_particles.hpp"

NB_MODULE(_core, module) {
  using namespace cisolve::python;
  module.doc() = "Extension module of ci_solve; use the modules of ci_solve instead.";
  module.attr("version") = cisolve::app::kVersion;
  module.def("built_for_cuda", &cisolve::base::cuda::is_built,
             "Whether devices can be used at all.");
  module.def(
      "count_devices",
      [] {
        std::string reason;
        return cisolve::base::cuda::device_count(reason);
      },
      "Number of devices; opens none.");
  module.def(
      "dismiss_threads", [] { omp_pause_resource_all(omp_pause_hard); },
      "Ends the idle threads of the calling thread; they are started again when needed.");
  register_errors();
  bind_integrals(module);
  bind_solution(module);
  bind_run(module);
  bind_orbitals(module);
  bind_saved(module);
  bind_states(module);
  bind_hamiltonian(module);
  bind_function_operator(module);
  bind_full_ci(module);
  bind_full_space(module);
  bind_three_particles(module);
}
