// The built-in chat formats: the prompt of each for a conversation with blanks around the texts.
#include <gtest/gtest.h>

#include <map>

#include "skald/error.h"
#include "text/chat/chat_json.h"
#include "text/chat/chat_template.h"
#include "text/chat/template_source.h"

namespace skald::builtin_templates_test {
namespace {

std::string prompt_of(std::string_view name, const std::string& messages) {
  ChatRequest request;
  request.messages = parse_chat_json(messages, "messages");
  return ChatTemplate(std::string(find_builtin_template(name)->text)).render(request).bytes();
}

const std::map<std::string_view, std::string_view>& prompts() {
  static const std::map<std::string_view, std::string_view> all = {
      {"bailing",
       "<role>SYSTEM</role> SYS <role>HUMAN</role> U1 <role>ASSISTANT</role> A1 <role>HUMAN</role>U2<role>ASSISTANT</role>"},
      {"bailing-think",
       "<role>SYSTEM</role> SYS <role>HUMAN</role> U1 <role>ASSISTANT</role> A1 "
       "<role>HUMAN</role>U2<role>ASSISTANT</role><think>"},
      {"bailing2",
       "<role>SYSTEM</role> SYS <|role_end|><role>HUMAN</role> U1 <|role_end|><role>ASSISTANT</role> A1 "
       "<|role_end|><role>HUMAN</role>U2<|role_end|><role>ASSISTANT</role>"},
      {"chatglm3", "[gMASK]sop<|system|>\n  SYS <|user|>\n  U1 <|assistant|>\n  A1 <|user|>\n U2<|assistant|>"},
      {"chatglm4", "[gMASK]<sop><|system|>\n SYS <|user|>\n U1 <|assistant|>\n A1 <|user|>\nU2<|assistant|>\n"},
      {"chatml",
       "<|im_start|>system\n SYS <|im_end|>\n<|im_start|>user\n U1 <|im_end|>\n<|im_start|>assistant\n A1 "
       "<|im_end|>\n<|im_start|>user\nU2<|im_end|>\n<|im_start|>assistant\n"},
      {"command-r",
       "<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>SYS<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|USER_TOKEN|>U1<|END_OF_TURN_"
       "TOKEN|><|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>A1<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|USER_TOKEN|>U2<|END_"
       "OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>"},
      {"deepseek", " SYS ### Instruction:\n U1 \n### Response:\n A1 \n<|EOT|>\n### Instruction:\nU2\n### Response:\n"},
      {"deepseek-ocr", " SYS  U1  A1 U2"},
      {"deepseek2", " SYS \n\nUser:  U1 \n\nAssistant:  A1 <｜end▁of▁sentence｜>User: U2\n\nAssistant:"},
      {"deepseek3", " SYS \n\n<｜User｜> U1 <｜Assistant｜> A1 <｜end▁of▁sentence｜><｜User｜>U2<｜Assistant｜>"},
      {"exaone-moe",
       "<|system|>\nSYS<|endofturn|>\n<|user|>\nU1<|endofturn|>\n<|assistant|>\nA1<|endofturn|>\n<|user|>\nU2<|endofturn|>"
       "\n<|assistant|>\n"},
      {"exaone3", "[|system|]SYS[|endofturn|]\n[|user|]U1\n[|assistant|]A1[|endofturn|]\n[|user|]U2\n[|assistant|]"},
      {"exaone4", "[|system|]SYS[|endofturn|]\n[|user|]U1\n[|assistant|]A1[|endofturn|]\n[|user|]U2\n[|assistant|]"},
      {"falcon3", "<|system|>\n SYS \n<|user|>\n U1 \n<|assistant|>\n A1 \n<|user|>\nU2\n<|assistant|>\n"},
      {"gemma",
       "<start_of_turn>user\n SYS "
       "\n\nU1<end_of_turn>\n<start_of_turn>model\nA1<end_of_turn>\n<start_of_turn>user\nU2<end_of_turn>\n<start_of_turn>"
       "model\n"},
      {"gigachat",
       "<s> SYS <|message_sep|>user<|role_sep|> U1 <|message_sep|>available "
       "functions<|role_sep|>[]<|message_sep|>assistant<|role_sep|> A1 "
       "<|message_sep|>user<|role_sep|>U2<|message_sep|>available "
       "functions<|role_sep|>[]<|message_sep|>assistant<|role_sep|>"},
      {"glmedge", "<|system|>\n SYS <|user|>\n U1 <|assistant|>\n A1 <|user|>\nU2<|assistant|>"},
      {"gpt-oss",
       "<|start|>system<|message|> SYS <|end|><|start|>user<|message|> U1 "
       "<|end|><|start|>assistant<|channel|>final<|message|> A1 <|end|><|start|>user<|message|>U2<|end|><|start|>assistant"},
      {"granite",
       "<|start_of_role|>system<|end_of_role|> SYS <|end_of_text|>\n<|start_of_role|>user<|end_of_role|> U1 "
       "<|end_of_text|>\n<|start_of_role|>assistant<|end_of_role|> A1 "
       "<|end_of_text|>\n<|start_of_role|>user<|end_of_role|>U2<|end_of_text|>\n<|start_of_role|>assistant<|end_of_role|>"},
      {"granite-4.0",
       "<|start_of_role|>system<|end_of_role|> SYS <|end_of_text|>\n<|start_of_role|>user<|end_of_role|> U1 "
       "<|end_of_text|>\n<|start_of_role|>assistant<|end_of_role|> A1 "
       "<|end_of_text|>\n<|start_of_role|>user<|end_of_role|>U2<|end_of_text|>\n<|start_of_role|>assistant<|end_of_role|>"},
      {"granite-4.1",
       "<|start_of_role|>system<|end_of_role|> SYS <|end_of_text|>\n<|start_of_role|>user<|end_of_role|> U1 "
       "<|end_of_text|>\n<|start_of_role|>assistant<|end_of_role|> A1 "
       "<|end_of_text|>\n<|start_of_role|>user<|end_of_role|>U2<|end_of_text|>\n<|start_of_role|>assistant<|end_of_role|>"},
      {"grok-2",
       "System: SYS<|separator|>\n\nHuman: U1<|separator|>\n\nAssistant:  A1 <|separator|>\n\nHuman: "
       "U2<|separator|>\n\nAssistant:"},
      {"hunyuan-dense",
       " SYS <｜hy_place▁holder▁no▁3｜><｜hy_User｜> U1 <｜hy_Assistant｜><｜hy_Assistant｜> A1 "
       "<｜hy_place▁holder▁no▁2｜><｜hy_User｜>U2<｜hy_Assistant｜>"},
      {"hunyuan-moe",
       "<|startoftext|> SYS <|extra_4|><|startoftext|> U1 <|extra_0|> A1 <|eos|><|startoftext|>U2<|extra_0|>"},
      {"hunyuan-vl",
       "<｜hy_begin▁of▁sentence｜> SYS <｜hy_place▁holder▁no▁3｜> U1 <｜hy_User｜> A1 <｜hy_Assistant｜>U2<｜hy_User｜>"},
      {"kimi-k2",
       "<|im_system|>system<|im_middle|> SYS <|im_end|><|im_user|>user<|im_middle|> U1 "
       "<|im_end|><|im_assistant|>assistant<|im_middle|> A1 "
       "<|im_end|><|im_user|>user<|im_middle|>U2<|im_end|><|im_assistant|>assistant<|im_middle|>"},
      {"llama2", "[INST]  SYS \n U1  [/INST] A1 </s>[INST] U2 [/INST]"},
      {"llama2-sys", "[INST] <<SYS>>\n SYS \n<</SYS>>\n\n U1  [/INST] A1 </s>[INST] U2 [/INST]"},
      {"llama2-sys-bos", "[INST] <<SYS>>\n SYS \n<</SYS>>\n\n U1  [/INST] A1 </s><s>[INST] U2 [/INST]"},
      {"llama2-sys-strip", "[INST] <<SYS>>\nSYS\n<</SYS>>\n\nU1 [/INST]A1</s>[INST] U2 [/INST]"},
      {"llama3",
       "<|start_header_id|>system<|end_header_id|>\n\nSYS<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nU1<|eot_id|><"
       "|start_header_id|>assistant<|end_header_id|>\n\nA1<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nU2<|eot_id|>"
       "<|start_header_id|>assistant<|end_header_id|>\n\n"},
      {"llama4",
       "<|header_start|>system<|header_end|>\n\nSYS<|eot|><|header_start|>user<|header_end|>\n\nU1<|eot|><|header_start|>"
       "assistant<|header_end|>\n\nA1<|eot|><|header_start|>user<|header_end|>\n\nU2<|eot|><|header_start|>assistant<|"
       "header_end|>\n\n"},
      {"megrez",
       "<|role_start|>system<|role_end|> SYS <|turn_end|><|role_start|>user<|role_end|> U1 "
       "<|turn_end|><|role_start|>assistant<|role_end|> A1 "
       "<|turn_end|><|role_start|>user<|role_end|>U2<|turn_end|><|role_start|>assistant<|role_end|>"},
      {"minicpm", "SYS<用户>U1<AI>A1<用户>U2<AI>"},
      {"mistral", "[INST]  SYS \n\n U1 [/INST] A1</s>[INST] U2[/INST]"},
      {"mistral-v1", " [INST]  SYS \n\n U1  [/INST]  A1 </s> [INST] U2 [/INST]"},
      {"mistral-v3", "[INST]  SYS \n\n U1 [/INST] A1</s>[INST] U2[/INST]"},
      {"mistral-v3-tekken", "[INST] SYS \n\n U1 [/INST] A1 </s>[INST]U2[/INST]"},
      {"mistral-v7", "[SYSTEM_PROMPT]  SYS [/SYSTEM_PROMPT][INST]  U1 [/INST]  A1 </s>[INST] U2[/INST]"},
      {"mistral-v7-tekken", "[SYSTEM_PROMPT] SYS [/SYSTEM_PROMPT][INST] U1 [/INST] A1 </s>[INST]U2[/INST]"},
      {"monarch", "system\n SYS </s>\n<s>user\n U1 </s>\n<s>assistant\n A1 </s>\n<s>user\nU2</s>\n<s>assistant\n"},
      {"openchat",
       " SYS <|end_of_turn|>GPT4 Correct User:  U1 <|end_of_turn|>GPT4 Correct Assistant:  A1 <|end_of_turn|>GPT4 Correct "
       "User: U2<|end_of_turn|>GPT4 Correct Assistant:"},
      {"orion", "Human:  SYS \n\n U1 \n\nAssistant: </s> A1 </s>Human: U2\n\nAssistant: </s>"},
      {"pangu-embedded",
       "[unused9]系统： SYS [unused10][unused9]用户： U1 [unused10][unused9]助手： A1 "
       "[unused10][unused9]用户：U2[unused10][unused9]助手："},
      {"phi3",
       "<|system|>\n SYS <|end|>\n<|user|>\n U1 <|end|>\n<|assistant|>\n A1 <|end|>\n<|user|>\nU2<|end|>\n<|assistant|>\n"},
      {"phi4",
       "<|im_start|>system<|im_sep|> SYS <|im_end|><|im_start|>user<|im_sep|> U1 <|im_end|><|im_start|>assistant<|im_sep|> "
       "A1 <|im_end|><|im_start|>user<|im_sep|>U2<|im_end|><|im_start|>assistant<|im_sep|>"},
      {"rwkv-world", "System: SYS\n\nUser: U1\n\nAssistant: A1\n\nUser: U2\n\nAssistant:"},
      {"seed_oss",
       "<seed:bos>system\n SYS <seed:eos><seed:bos>user\n U1 "
       "<seed:eos><seed:bos>assistant\nA1<seed:eos><seed:bos>user\nU2<seed:eos><seed:bos>assistant\n"},
      {"smolvlm",
       "<|im_start|> SYS \n\nUser:  U1 <end_of_utterance>\nAssistant:  A1 <end_of_utterance>\nUser: "
       "U2<end_of_utterance>\nAssistant:"},
      {"solar-open",
       "<|begin|>system<|content|> SYS <|end|><|begin|>user<|content|> U1 <|end|><|begin|>assistant<|content|> A1 "
       "<|end|><|begin|>user<|content|>U2<|end|><|begin|>assistant"},
      {"vicuna", " SYS \n\nUSER:  U1 \nASSISTANT:  A1 </s>\nUSER: U2\nASSISTANT:"},
      {"vicuna-orca", "SYSTEM:  SYS \nUSER:  U1 \nASSISTANT:  A1 </s>\nUSER: U2\nASSISTANT:"},
      {"yandex", " Пользователь:  U1 \n\n Ассистент:  A1 \n\n Пользователь: U2\n\n Ассистент:[SEP]"},
      {"zephyr",
       "<|system|>\n SYS <|endoftext|>\n<|user|>\n U1 <|endoftext|>\n<|assistant|>\n A1 "
       "<|endoftext|>\n<|user|>\nU2<|endoftext|>\n<|assistant|>\n"},
  };
  return all;
}

TEST(BuiltinTemplates, WriteAConversationInTheirFormats) {
  for (const auto& [name, prompt] : prompts()) {
    ASSERT_NE(find_builtin_template(name), nullptr) << name;
    EXPECT_EQ(prompt_of(name, R"([{"role": "system", "content": " SYS "}, {"role": "user", "content": " U1 "},
                                  {"role": "assistant", "content": " A1 "}, {"role": "user", "content": "U2"}])"),
              prompt)
        << name;
  }
}

TEST(BuiltinTemplates, AreAllKnownToThisTest) {
  for (const BuiltinTemplate& t : builtin_templates()) EXPECT_TRUE(prompts().contains(t.name)) << t.name;
}

TEST(BuiltinTemplates, SaySoWhereTheFormatHasNoSystemMessageInFront) {
  const char* const user = R"([{"role": "user", "content": "U"}])";
  EXPECT_EQ(prompt_of("bailing2", user),
            "<role>SYSTEM</role>detailed thinking off<|role_end|><role>HUMAN</role>U<|role_end|><role>ASSISTANT</role>");
  EXPECT_EQ(prompt_of("pangu-embedded", user), "[unused9]系统：[unused10][unused9]用户：U[unused10][unused9]助手：");
  EXPECT_EQ(prompt_of("gigachat", user),
            "<s>user<|role_sep|>U<|message_sep|>available functions<|role_sep|>[]<|message_sep|>assistant<|role_sep|>");
}

TEST(BuiltinTemplates, RefuseARoleThatTheFormatDoesNotHave) {
  const char* const result = R"([{"role": "user", "content": "U"}, {"role": "tool", "content": "R"}])";
  EXPECT_EQ(prompt_of("kimi-k2", result),
            "<|im_user|>user<|im_middle|>U<|im_end|><|im_system|>tool<|im_middle|>R<|im_end|><|im_assistant|>assistant"
            "<|im_middle|>");
  for (const char* name : {"gemma", "llama2", "mistral-v3", "vicuna", "yandex"}) try {
      ADD_FAILURE() << name << ": " << prompt_of(name, result);
    } catch (const Error& e) {
      EXPECT_TRUE(std::string_view(e.what()).ends_with("this chat format has no messages of role 'tool'")) << e.what();
    }
}

}  // namespace
}  // namespace skald::builtin_templates_test
