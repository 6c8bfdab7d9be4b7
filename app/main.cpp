#include "app/cli/program.hpp"

int main(int argc, char** argv) { return cisolve::app::run_program(argc, argv); }
