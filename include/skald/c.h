/* Skald's C API: models, tokens, requests and chats, as the C++ headers have them.
 *
 * Objects are made by functions that fill a pointer, and freed by *_free, which take NULL too. Functions that can fail give
 * a status, and fill `error`, which may be NULL. Structures with options come from a *_defaults function. Texts are UTF-8;
 * where a function takes no size they end with a zero byte. Filled pointers and structures may be used only where the
 * function gave SKALD_OK. Any thread may use models, engines and chats; other objects are for one thread at a time. */
#ifndef SKALD_C_H
#define SKALD_C_H

/* NOLINTBEGIN: C's headers, type definitions and names */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef int32_t skald_token;

typedef enum skald_status {
  SKALD_OK = 0,
  SKALD_BAD_INPUT,   /* an argument, option or request is wrong */
  SKALD_BAD_FILE,    /* a file's content is wrong or truncated */
  SKALD_NOT_FOUND,   /* a file, key or name does not exist */
  SKALD_UNSUPPORTED, /* valid, but not something this build can do */
  SKALD_NO_MEMORY,
  SKALD_FAILED_DEVICE, /* the operating system or an accelerator failed */
  SKALD_INTERNAL,      /* a bug in Skald */
  SKALD_BUSY           /* too many requests wait: try again later */
} skald_status;

typedef struct skald_error {
  skald_status status;
  char message[1024]; /* the action that failed, and its fault; cut where it is longer */
} skald_error;

/* A text of the caller's, to be freed. A zero byte follows it. */
typedef struct skald_text {
  char* bytes;
  size_t size;
} skald_text;
void skald_text_free(skald_text* text);

/* Tokens of the caller's, to be freed. */
typedef struct skald_tokens {
  skald_token* ids;
  size_t size;
} skald_tokens;
void skald_tokens_free(skald_tokens* tokens);

/* "0.1.0" */
const char* skald_version(void);

/* ---- Models ---- */

typedef struct skald_model skald_model;

/* A file of vectors that are added, times `scale`, to the outputs of a model's layers. */
typedef struct skald_control_vector {
  const char* path;
  float scale;
} skald_control_vector;

typedef struct skald_load_options {
  bool mmap;                      /* map the file instead of reading it into memory */
  const char* const* override_kv; /* metadata that counts instead of the file's: "KEY=TYPE:VALUE" */
  size_t n_override_kv;
  const char* calibration; /* a file of skald calibrate, for sparse decoding; NULL: the one in the model's file, if any */
  const skald_control_vector* control_vectors; /* files that add up */
  size_t n_control_vectors;
  int64_t control_first, control_last; /* layers that have one, both among them; 0: from the first, to the last one */
} skald_load_options;
skald_load_options skald_load_defaults(void);

/* Loads a GGUF file (or all shards of a split one), or a Hugging Face folder. `options` may be NULL. */
skald_status skald_model_load(const char* path, const skald_load_options* options, skald_model** model, skald_error* error);
/* The small story model that is part of the library. */
skald_status skald_model_embedded(skald_model** model, skald_error* error);
/* Engines and chats that were made of it may still be used. */
void skald_model_free(skald_model* model);

/* Valid as long as the model. */
const char* skald_model_name(const skald_model* model);
const char* skald_model_architecture(const skald_model* model);
int64_t skald_model_n_vocab(const skald_model* model);     /* numbers in a row of logits */
int64_t skald_model_n_ctx_train(const skald_model* model); /* tokens of context that it was made for */

/* ---- Adapters ---- */

/* A low-rank change of a model's weights (LoRA): a GGUF file or a folder of PEFT. */
typedef struct skald_lora skald_lora;
skald_status skald_lora_load(const skald_model* model, const char* path, skald_lora** lora, skald_error* error);
/* Requests that have it may still run. */
void skald_lora_free(skald_lora* lora);

/* ---- Tokens ---- */

typedef struct skald_encode_options {
  bool add_special;   /* BOS and EOS as the vocabulary asks */
  bool parse_special; /* "<s>" in the text is the token; otherwise ordinary text */
} skald_encode_options;
skald_encode_options skald_encode_defaults(void);

/* A piece of a text. Control tokens are found in trusted pieces alone. */
typedef struct skald_text_piece {
  const char* text;
  size_t size;
  bool trusted;
} skald_text_piece;

/* `options` may be NULL. */
skald_status skald_tokenize(const skald_model* model, const char* text, const skald_encode_options* options,
                            skald_tokens* tokens, skald_error* error);
/* Of a text in pieces, which is tokenised as a whole. */
skald_status skald_tokenize_pieces(const skald_model* model, const skald_text_piece* pieces, size_t n_pieces,
                                   const skald_encode_options* options, skald_tokens* tokens, skald_error* error);
/* `special`: control tokens appear by name. */
skald_status skald_detokenize(const skald_model* model, const skald_token* tokens, size_t n_tokens, bool special,
                              skald_text* text, skald_error* error);

/* GGUF's kinds of tokens. */
typedef enum skald_token_kind {
  SKALD_TOKEN_UNDEFINED = 0,
  SKALD_TOKEN_NORMAL,
  SKALD_TOKEN_UNKNOWN,
  SKALD_TOKEN_CONTROL,
  SKALD_TOKEN_USER_DEFINED,
  SKALD_TOKEN_UNUSED,
  SKALD_TOKEN_BYTE
} skald_token_kind;

typedef enum skald_special {
  SKALD_BOS = 0, /* begins texts */
  SKALD_EOS,     /* ends texts */
  SKALD_EOT,     /* ends turns */
  SKALD_EOM,     /* ends messages that wait for a tool */
  SKALD_UNK,     /* stands for text without a token */
  SKALD_SEP,
  SKALD_PAD
} skald_special;

typedef struct skald_token_info {
  const char* bytes; /* of the text, maybe a part of a character; of a control token its name. Valid as long as the model,
                        without a zero byte at the end */
  size_t size;
  skald_token_kind kind;
  bool ends_text; /* the model ends a text with it */
} skald_token_info;
/* Ids are 0 to the number of tokens less one. */
skald_status skald_vocabulary_size(const skald_model* model, int64_t* size, skald_error* error);
skald_status skald_token_look_up(const skald_model* model, skald_token token, skald_token_info* info, skald_error* error);
/* `token`: -1 where there is none. */
skald_status skald_token_special(const skald_model* model, skald_special which, skald_token* token, skald_error* error);
/* The token that the model's file spells so. `token`: -1 where there is none. */
skald_status skald_token_find(const skald_model* model, const char* spelling, skald_token* token, skald_error* error);

/* ---- Requests ---- */

typedef struct skald_logit_bias {
  skald_token token;
  float bias; /* added to its logit; -INFINITY: it is never chosen */
} skald_logit_bias;

/* How tokens are chosen; the fields of SamplingParams (skald/sampling_params.h), where each is described. */
typedef struct skald_sampling {
  float temperature; /* 0: always the most likely token */
  int32_t top_k;
  float top_p;
  float min_p;
  int32_t min_keep;
  float repeat_penalty;
  float presence_penalty;
  float frequency_penalty;
  int32_t repeat_last_n;
  float dynatemp_range;
  float dynatemp_exponent;
  float typical_p;
  float top_n_sigma;
  float xtc_probability;
  float xtc_threshold;
  float dry_multiplier;
  float dry_base;
  int32_t dry_allowed_length;
  int32_t dry_penalty_last_n;
  int32_t mirostat;
  float mirostat_lr;
  float mirostat_ent;
  float adaptive_target;
  float adaptive_decay;
  const skald_logit_bias* logit_bias;
  size_t n_logit_bias;
  const char* const* dry_breakers; /* texts across which DRY sees no repetition */
  size_t n_dry_breakers;
  const char* samplers; /* the chain: "top_k;top_p;temperature"; NULL: the usual one */
  uint64_t seed;        /* UINT64_MAX: a random one */
} skald_sampling;
/* The library's; of a model (not NULL): with the values of its file. */
skald_sampling skald_sampling_defaults(const skald_model* model);

typedef enum skald_grammar_kind { SKALD_NO_GRAMMAR = 0, SKALD_GBNF, SKALD_REGEX, SKALD_JSON_SCHEMA } skald_grammar_kind;

typedef enum skald_finish {
  SKALD_RUNNING = 0,
  SKALD_FINISH_END,     /* the model ended the text */
  SKALD_FINISH_STOP,    /* a stop text came, or the callback said so */
  SKALD_FINISH_LENGTH,  /* max_tokens */
  SKALD_FINISH_CONTEXT, /* the context is full and not shifted */
  SKALD_FINISH_CANCELLED,
  SKALD_FINISH_ERROR
} skald_finish;

typedef struct skald_token_log_prob {
  skald_token token;
  double log_prob; /* natural logarithm, before samplers and temperature */
} skald_token_log_prob;

/* A token of a request, and once more the end of a text. Pointers are valid during the callback. */
typedef struct skald_event {
  skald_token token; /* -1 in the last event */
  const char* text;  /* whole characters that became complete, maybe none */
  size_t text_size;
  skald_finish finish;
  int32_t branch; /* which of the texts */
  double log_prob;
  const skald_token_log_prob* top_log_probs;
  size_t n_top_log_probs;
} skald_event;

/* An adapter, and how much of its change counts. */
typedef struct skald_lora_use {
  const struct skald_lora* lora;
  float scale;
} skald_lora_use;

typedef struct skald_request {
  const skald_token* prompt;
  size_t n_prompt;
  int32_t max_tokens;      /* -1: until the model ends the text or the context is full */
  int32_t keep;            /* first tokens of the prompt that context shifts keep; -1: all */
  bool ignore_eos;         /* no end token is drawn */
  int32_t n;               /* texts for the prompt; the i-th draws from the seed + i */
  int32_t best_of;         /* draw this many, and give the n with the highest mean log-probability; 0: n */
  int32_t beams;           /* search for likely texts with this many live ones, and give the best n; 0: draw tokens */
  float length_penalty;    /* texts of a search compare by log-probability / tokens ^ this */
  bool log_prob;           /* give the tokens' log-probabilities */
  int32_t top_log_probs;   /* and those of this number of most likely tokens at each place */
  bool show_special;       /* control tokens are shown by name, as skald_reply_push wants them */
  const char* const* stop; /* texts at whose beginning the text ends */
  size_t n_stop;
  int64_t conversation;        /* requests with the same number, not 0, share computed keys */
  bool reuse_generated;        /* and generated tokens' keys too */
  const skald_lora_use* loras; /* adapters of the engine's model, whose changes add up */
  size_t n_loras;
  skald_sampling sampling;
  skald_grammar_kind grammar; /* the text is a sentence of it */
  const char* grammar_text;
  /* Not NULL: the text is a reply to this prompt of this chat. Its tools alone are called, with arguments that fit their
   * schemas, and the grammar is about the content, after the reasoning. */
  const struct skald_chat* chat;
  const struct skald_prompt* reply_to;
  /* On the engine's thread; true ends the text. May be NULL. */
  bool (*on_event)(const skald_event* event, void* user);
  /* Likewise, while the prompt is read: how many of its tokens have keys. May be NULL. */
  void (*on_prompt)(int64_t done, void* user);
  void* user;
} skald_request;
/* `model` as in skald_sampling_defaults. */
skald_request skald_request_defaults(const skald_model* model);

/* ---- Engines ---- */

typedef struct skald_engine skald_engine;

/* The fields of EngineOptions (skald/options.h), where each is described. Texts that are NULL, and zeros of those that are
 * a number of something, leave the default. */
typedef struct skald_engine_options {
  const char* device;           /* "cuda": the device that computes */
  const char* gpu_layers;       /* "auto", "all" or a number: of the last layers, those on it; NULL: the whole model is */
  const char* override_tensors; /* "REGEX=DEVICE,...": where tensors of these names are */
  bool cpu_moe;                 /* the experts of all layers are on the CPU */
  int32_t n_cpu_moe;            /* those of the first layers */
  int32_t n_threads;
  int32_t n_threads_batch;
  const char* cpu_range;
  const char* numa;
  bool repack;
  bool lock_weights;
  int64_t n_ctx; /* longest sequence in tokens; 0: the model's training context */
  const char* type_k;
  const char* type_v;
  bool rotate;
  int64_t swa_sinks;
  int64_t total_keys;
  int64_t rollback;
  int64_t checkpoints;     /* most of a conversation */
  int64_t checkpoint_step; /* tokens of a prompt between two of them */
  int64_t checkpoint_mib;  /* memory for recurrent states */
  bool lock_cache;
  double sparq_ratio; /* sparse decoding that reads 1/ratio of the cache; 0: dense */
  double sparq_loss;  /* or as little as costs this number of nats per token; 0: off */
  int64_t n_parallel; /* sequences that run at the same time */
  int64_t n_batch;
  int64_t n_ubatch;
  bool context_shift;
  const char* draft_kind;  /* "ngram", "sparq:8": a step may compute several tokens of a text; NULL: one */
  int64_t draft_most;      /* guesses of a step */
  const char* draft_model; /* of the kind "draft": a file */
} skald_engine_options;
skald_engine_options skald_engine_defaults(void);

/* `options` may be NULL. */
skald_status skald_engine_new(const skald_model* model, const skald_engine_options* options, skald_engine** engine,
                              skald_error* error);
/* Cancels the running requests. */
void skald_engine_free(skald_engine* engine);
int64_t skald_engine_n_ctx(const skald_engine* engine);
/* Gives back the keys that are kept for a conversation. */
void skald_engine_forget(skald_engine* engine, int64_t conversation);

/* A request on its way. */
typedef struct skald_job skald_job;
typedef struct skald_result skald_result;

/* Nothing that the request points to is needed afterwards, but for `user`. The engine must outlive the job. */
skald_status skald_submit(skald_engine* engine, const skald_request* request, skald_job** job, skald_error* error);
/* Ends it early; harmless when it is over. Any thread may call it, and a callback. */
void skald_job_cancel(skald_job* job);
/* Whether skald_job_wait() would not wait. */
bool skald_job_done(skald_job* job);
/* Waits for the end. To be called once. */
skald_status skald_job_wait(skald_job* job, skald_result** result, skald_error* error);
/* Cancels it where it still runs, and waits until no callback comes any more; not to be called by a callback. */
void skald_job_free(skald_job* job);
/* Submits and waits. */
skald_status skald_generate(skald_engine* engine, const skald_request* request, skald_result** result, skald_error* error);

/* One text of a result; valid as long as the result. */
typedef struct skald_choice {
  const char* text;
  size_t text_size;
  const skald_token* tokens;
  size_t n_tokens;
  skald_finish finish;
  const char* stop_text;   /* that ended it; NULL: none did */
  skald_token end_token;   /* that ended it; -1: none did */
  const double* log_probs; /* of the tokens; NULL where the request did not ask */
  double log_prob;         /* of all tokens, with best_of and beams of the end token too; 0 where nothing asked for it */
  double score;            /* of best_of and beams: they compare by it */
} skald_choice;

typedef struct skald_timing {
  int64_t n_prompt;
  int64_t n_generated;
  int64_t n_cached;        /* of the prompt's tokens, taken over from the conversation */
  int64_t n_drafted;       /* tokens that the engine's draft_kind guessed, */
  int64_t n_accepted;      /* and those of them that were right */
  double prompt_seconds;   /* from the first step until the first token */
  double generate_seconds; /* from the first token until the last */
} skald_timing;

size_t skald_result_n_choices(const skald_result* result);
/* `i` counts from 0. */
skald_status skald_result_choice(const skald_result* result, size_t i, skald_choice* choice, skald_error* error);
/* The most likely tokens at a place of the i-th text, as many as the request asked for. */
skald_status skald_result_top(const skald_result* result, size_t i, size_t place, const skald_token_log_prob** top,
                              size_t* n_top, skald_error* error);
uint64_t skald_result_seed(const skald_result* result);
skald_timing skald_result_timing(const skald_result* result);
void skald_result_free(skald_result* result);

/* ---- Vectors of texts ---- */

typedef enum skald_pooling {
  SKALD_POOLING_OF_FILE = -1, /* the pooling of the model's file */
  SKALD_POOLING_NONE = 0,     /* no vector of a text: not for skald_embed */
  SKALD_POOLING_MEAN,
  SKALD_POOLING_CLS,
  SKALD_POOLING_LAST,
  SKALD_POOLING_RANK /* a classifier's score */
} skald_pooling;

typedef struct skald_embedder_options {
  int32_t n_threads;  /* 0: one per usable CPU */
  int64_t n_ctx;      /* most tokens of a text; 0: the model's training context */
  int32_t n_parallel; /* texts that are read together */
  int32_t n_ubatch;   /* tokens computed at once, but for a longer text that must be */
  skald_pooling pooling;
} skald_embedder_options;
skald_embedder_options skald_embedder_defaults(void);

/* Any thread may use it; calls wait for each other. */
typedef struct skald_embedder skald_embedder;
/* `options` may be NULL. */
skald_status skald_embedder_new(const skald_model* model, const skald_embedder_options* options, skald_embedder** embedder,
                                skald_error* error);
void skald_embedder_free(skald_embedder* embedder);
int64_t skald_embedder_width(const skald_embedder* embedder); /* numbers of a vector */

/* A vector for each text: `vectors` has n_texts rows of skald_embedder_width(). `normalize`: their length becomes 1.
 * `truncate`: a text that is longer than the context loses its end; else it is an error. */
skald_status skald_embed(skald_embedder* embedder, const char* const* texts, size_t n_texts, bool normalize, bool truncate,
                         float* vectors, skald_error* error);
/* How well each document fits the query, by the model's classifier: `scores` has n_documents numbers. */
skald_status skald_rank(skald_embedder* embedder, const char* query, const char* const* documents, size_t n_documents,
                        bool truncate, float* scores, skald_error* error);

/* ---- Chats ---- */

/* How a model writes chats: its template, and the format of its replies. */
typedef struct skald_chat skald_chat;
typedef struct skald_prompt skald_prompt;
typedef struct skald_reply skald_reply;

/* `chat_template`: Jinja, or the name of a built-in one; NULL: the model's. */
skald_status skald_chat_new(const skald_model* model, const char* chat_template, skald_chat** chat, skald_error* error);
void skald_chat_free(skald_chat* chat);

/* The prompt of a JSON list of messages, or of a request of the chat API (messages, tools, documents,
 * add_generation_prompt, continue_final_message, chat_template_kwargs). */
skald_status skald_chat_prompt(const skald_chat* chat, const char* json, skald_prompt** prompt, skald_error* error);
void skald_prompt_free(skald_prompt* prompt);
/* Both are valid as long as the prompt. */
const char* skald_prompt_text(const skald_prompt* prompt, size_t* size);
const skald_token* skald_prompt_tokens(const skald_prompt* prompt, size_t* n_tokens);

typedef enum skald_delta_kind { SKALD_DELTA_CONTENT = 0, SKALD_DELTA_REASONING, SKALD_DELTA_CALL } skald_delta_kind;

/* A piece of a reply. Pointers are valid during the callback. */
typedef struct skald_delta {
  skald_delta_kind kind;
  const char* text; /* of content and reasoning */
  size_t text_size;
  int32_t index;         /* of a call among the reply's calls */
  const char* name;      /* of a call */
  const char* arguments; /* JSON text */
  const char* id;        /* empty where the reply gives none */
} skald_delta;

/* Reads the reply to a prompt as it comes. `on_delta` may be NULL. */
skald_status skald_reply_new(const skald_chat* chat, const skald_prompt* prompt,
                             void (*on_delta)(const skald_delta* delta, void* user), void* user, skald_reply** reply,
                             skald_error* error);
/* Text with the names of control tokens (show_special). */
skald_status skald_reply_push(skald_reply* reply, const char* text, size_t size, skald_error* error);
/* The reply ends. `truncated`: it was cut off, so that a call that has not ended is none. */
skald_status skald_reply_finish(skald_reply* reply, bool truncated, skald_error* error);
/* The part of it that has come so far, as the message of the chat API, ready to be put after the other messages. */
skald_status skald_reply_message(const skald_reply* reply, skald_text* json, skald_error* error);
void skald_reply_free(skald_reply* reply);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

/* NOLINTEND */

#endif
