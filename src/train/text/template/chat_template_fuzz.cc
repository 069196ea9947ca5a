// Fuzz target: takes any text as a chat template. The template is refused with an Error, or
// rendered, in a limited number of steps, to a text or an Error; the answers that it marks lie in
// the text. Run: build/fuzz/bin/chat_template_fuzz -max_total_time=60
#include "train/text/template/chat_template.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"

namespace {

constexpr const char* kTokenizer =
    R"({"version":"1.0","added_tokens":[{"id":2,"content":"<|end|>","special":true,"single_word":false,)"
    R"("lstrip":false,"rstrip":false,"normalized":false}],"normalizer":null,"pre_tokenizer":)"
    R"({"type":"ByteLevel","add_prefix_space":false,"trim_offsets":false,"use_regex":false},)"
    R"("post_processor":null,"decoder":{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":false,)"
    R"("use_regex":false},"model":{"type":"BPE","dropout":null,"unk_token":null,)"
    R"("continuing_subword_prefix":"","end_of_word_suffix":"","fuse_unk":false,"byte_fallback":false,)"
    R"("vocab":{"a":0,"b":1},"merges":[]}})";
constexpr const char* kChat =
    R"([{"role":"system","content":"s"},{"role":"user","content":"q","n":[1,2.5,null,true]},)"
    R"({"role":"assistant","content":"a"}])";
constexpr const char* kVariables = R"({"tools":[{"type":"function","function":{"name":"f"}}]})";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ebb::train;
  static const Tokenizer tokenizer = Tokenizer::Parse(kTokenizer, "", "ours").value();
  const auto chat = ChatTemplate::Parse({reinterpret_cast<const char*>(data), size}, tokenizer);
  if (!chat) return 0;
  (void)chat->Render(kChat, ChatEnd::kOpenForAnswer, kVariables);
  static const auto record =
      ReadChat(jinja::ParseJsonValue(std::string(R"({"messages":)") + kChat + "}").value(),
               {.messages = "messages"}, {})
          .value();
  const auto marked = chat->Marked(record);
  if (!marked) return 0;
  for (const TextRange& range : marked->answers)
    EBB_CHECK(range.begin <= range.end && range.end <= marked->text.size());
  return 0;
}
