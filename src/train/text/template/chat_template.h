#pragma once
// Writes chats as the text that a model was trained on, by the chat template of its tokenizer
// (Jinja), as transformers' apply_chat_template renders it. Any template of the subset that
// jinja_*.h interprets works, among them those of Qwen 2, 2.5 and 3 (ChatML) and Llama 2, 3, 3.1.
// An Error names features that a template uses beyond the subset. Immutable: threads may share one.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "train/text/records/chat_record.h"
#include "train/text/records/record_form.h"
#include "train/text/tokenizer/tokenizer.h"

namespace ebb::train {

enum class ChatEnd {
  kAsItIs,
  kOpenForAnswer,  ///< add_generation_prompt: the model's turn has begun
};

class ChatTemplate {
 public:
  /// The template may use the texts of the tokenizer's special tokens.
  static Result<ChatTemplate> Parse(std::string_view jinja, const Tokenizer& tokenizer);
  /// The tokenizer's own template. An Error if it has none.
  static Result<ChatTemplate> Of(const Tokenizer& tokenizer);

  /// `messages_json` is a list of {"role", "content"}. `variables_json` is an object of further
  /// variables for the template ("tools", "enable_thinking"), or "". Errors have no `where`.
  Result<std::string> Render(std::string_view messages_json, ChatEnd end = ChatEnd::kAsItIs,
                             std::string_view variables_json = "") const;

  /// Returns the whole chat, with the learned turns of the assistant as its answers. A template
  /// with {% generation %} marks the answers. For other templates, a turn is the text that the
  /// template adds for it behind the opening of a turn. If the template writes an earlier turn
  /// otherwise once later ones follow (Qwen 3 leaves out the thinking), the turn is the text in the
  /// whole chat, with its end.
  Result<MarkedText> Marked(const ChatRecord& chat) const;

 private:
  struct Parsed;
  class Finder;
  explicit ChatTemplate(std::shared_ptr<const Parsed> parsed) : parsed_(std::move(parsed)) {}
  std::shared_ptr<const Parsed> parsed_;
};

}  // namespace ebb::train
