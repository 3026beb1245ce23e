#include "cli/program.h"

int main(int argc, char** argv) { return skald::run_program(argc, argv); }
