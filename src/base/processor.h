// What every kind of processor does in its own way: src/base/<processor>/processor.cpp.
#pragma once

#include <cstdint>
#include <string>

#include "base/cpu_features.h"

namespace skald {

/// Asks the processor, and the system for the use of tiles where there are any.
CpuFeatures detect_cpu_features();

/// Returns the name that the processor gives itself, or that its numbers stand for; "" where it has none.
std::string detect_cpu_name();

/// Tells the core that this thread waits for another one.
void pause_spinning();

/// The control register of floating-point arithmetic.
uint64_t float_control();
void set_float_control(uint64_t value);
extern const uint64_t kFlushDenormals;  // its bits that make denormal operands and results zeros

}  // namespace skald
