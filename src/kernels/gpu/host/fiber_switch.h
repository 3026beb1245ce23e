// The switch between the stacks of fibers, in each processor's words: host/<processor>/fiber_switch.cpp.
#pragma once

/// Puts the registers that calls keep on the stack that is left, whose top goes to *left, and takes those of the stack that
/// is gone on with.
extern "C" void skald_simt_switch(void** left, void* to);

namespace skald::simt::host {

/// Returns the top of a new stack that ends at `end`: a switch to it calls `entry`, which never returns.
void* first_place(void* end, void (*entry)());

}  // namespace skald::simt::host
