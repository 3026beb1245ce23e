// The objects that the C API's pointers stand for.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "skald/c.h"
#include "skald/chat.h"
#include "skald/engine.h"
#include "skald/model.h"

struct skald_model {
  explicit skald_model(skald::Model model)
      : model(std::move(model)), name(this->model.name()), architecture(this->model.architecture()) {}

  skald::Model model;
  std::string name, architecture;
};

struct skald_lora {
  skald::Lora lora;
};

struct skald_engine {
  skald_engine(const skald::Model& model, const skald::EngineOptions& options) : model(model), engine(model, options) {}

  skald::Model model;
  skald::Engine engine;
};

struct skald_job {
  skald::Engine& engine;
  skald::Submission submission;
};

struct skald_result {
  explicit skald_result(skald::Result of);

  const skald::Choice& choice(size_t i) const;

  skald::Result result;
  std::vector<std::vector<std::vector<skald_token_log_prob>>> top;  // of each text, at each place
};

struct skald_chat {
  skald::ChatFormat format;
};

struct skald_prompt {
  skald::ChatPrompt prompt;
};
