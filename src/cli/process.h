// The settings of the process, made before the program does anything.
#pragma once

namespace skald {

/// Descriptors 0 to 2 are open, so that no file of ours gets one of them and messages into it. A limit on the size of files
/// is an error of writing instead of a signal. A mapped file that is cut short ends the program with an error that names it.
/// Signals that end the program have their usual effect, and leave no unfinished output.
void prepare_process();

/// For handlers of signals: ends the program by this one, as without a handler, but leaves no unfinished output.
void end_by_signal(int number);

}  // namespace skald
