// The scalar tier needs only the math library.
#pragma once

#include <cmath>
