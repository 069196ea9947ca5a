#pragma once
// A record as a chat: messages, what a template may read besides, and which messages are learned.
// The forms are those that people publish: lists of messages with role and content (OpenAI,
// transformers), ShareGPT's conversations with from and value, a prompt with its completion as
// texts or as messages (TRL). A field that may change the meaning of a chat is read or refused by
// name. Pure.

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "train/text/jinja_value.h"

namespace ebb::train {

/// Which fields make a chat: a list of messages, or one question and its answer.
struct ChatFields {
  std::string messages;  ///< the field; "" for a chat of the other two
  std::string prompt = "prompt", response = "response";
};

struct ChatRecord {
  jinja::List messages;
  jinja::Dict variables;      ///< "tools", and the members of chat_template_kwargs
  std::vector<bool> learned;  ///< of each message: what the assistant says in it
};

/// `ignored` are names of fields that do not count, "*" all that are not known. Errors have no
/// `where`.
Result<ChatRecord> ReadChat(const jinja::Value& record, const ChatFields& fields,
                            std::span<const std::string> ignored);

}  // namespace ebb::train
