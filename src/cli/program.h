// The skald program: runs the command that its arguments name.
#pragma once

namespace skald {

/// Turns errors into messages on stderr and exit codes: 0 done, 1 error, 2 wrong usage, 130 interrupted.
int run_program(int argc, char** argv);

}  // namespace skald
