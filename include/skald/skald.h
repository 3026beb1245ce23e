// Skald's public API.
#pragma once

#include "skald/chat.h"
#include "skald/embedder.h"
#include "skald/engine.h"
#include "skald/error.h"
#include "skald/grammar_params.h"
#include "skald/model.h"
#include "skald/options.h"
#include "skald/pooling.h"
#include "skald/reply.h"
#include "skald/sampling_params.h"
#include "skald/sparq_params.h"
#include "skald/static_params.h"
#include "skald/text.h"
#include "skald/types.h"
#include "skald/version.h"
#include "skald/vocabulary.h"
