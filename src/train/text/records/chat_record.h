#pragma once
// Reads a record as a chat: messages, further variables of a template, and the messages that are
// learned. The forms are those that people publish: lists of messages with role and content
// (OpenAI, transformers), ShareGPT's conversations with from and value, a prompt with its
// completion as texts or as messages (TRL). A field that may change the meaning of a chat is read
// or refused by name. Pure.

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "train/text/template/jinja_value.h"

namespace ebb::train {

/// The fields that make a chat: a list of messages, or one question and its answer.
struct ChatFields {
  std::string messages;  ///< the field; "" for a chat of the other two
  std::string prompt = "prompt", response = "response";
};

struct ChatRecord {
  jinja::List messages;
  jinja::Dict variables;  ///< "tools", and the members of chat_template_kwargs
  /// One entry for each message: true for the assistant's that are learned.
  std::vector<bool> learned;
};

/// `ignored` are names of fields that do not count; "*" means all unknown ones. Errors have no
/// `where`.
Result<ChatRecord> ReadChat(const jinja::Value& record, const ChatFields& fields,
                            std::span<const std::string> ignored);

}  // namespace ebb::train
