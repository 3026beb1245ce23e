// The includes of every tier's translation unit, before its own, internal part. Plain data and declarations only: an inline
// function compiled with one tier's flags must never be the copy that the linker keeps for all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "kernels/api/act_q16.h"
#include "kernels/api/act_q8.h"
#include "kernels/api/kernel_table.h"
#include "kernels/api/key_codes.h"
#include "kernels/api/select.h"
#include "kernels/generic/lanes.h"
#include "quant/panels.h"
