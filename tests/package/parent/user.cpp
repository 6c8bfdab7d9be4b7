#include <cisolve/base/backend.hpp>

int main() { return cisolve::base::Backend::reference().threads() == 1 ? 0 : 1; }
