// The facts, choices and advice about a machine, for people and programs.
#pragma once

#include <string>
#include <vector>

#include "tools/doctor/advice.h"

namespace skald {

struct Diagnosis {
  MachineFacts facts = {};
  MachineChoice choice = {};
  std::vector<Advice> advice = {};
};

std::string doctor_text(const Diagnosis& d);
std::string doctor_json(const Diagnosis& d);

}  // namespace skald
