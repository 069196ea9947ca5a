#include "train/text/text_data.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "train/text/chat_template.h"
#include "train/text/jinja_value.h"
#include "train/text/numpy_permutation.h"
#include "train/text/record_reader.h"

namespace ebb::train {
namespace {

constexpr std::size_t kRecordsBetweenReports = 1000;

tl::unexpected<Error> Refused(std::string what, std::string where, std::string next = "") {
  return Fail({ExitCode::kConfiguration, std::move(what), std::move(where), std::move(next)});
}

std::size_t CommonBeginning(std::span<const TokenId> a, std::span<const TokenId> b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first -
                                  a.begin());
}

using Form = std::function<Result<MarkedText>(const RecordReader&, const JsonNode&)>;

Result<MarkedText> ChatOf(const ChatTemplate& chat, const ChatFields& fields,
                          const RecordReader& reader, const JsonNode& record) {
  if (!fields.messages.empty()) {
    // From the line itself: a template may print members in their order.
    EBB_ASSIGN_OR_RETURN(const jinja::Value whole, jinja::ParseJsonValue(reader.Json()));
    const jinja::Value messages = whole.At(fields.messages);
    if (messages.is_undefined()) return Refused("there is no field " + Quoted(fields.messages), "");
    return chat.Marked(messages.Json(-1));
  }
  jinja::List messages;
  for (const auto& [role, field] :
       {std::pair("user", fields.prompt), std::pair("assistant", fields.response)}) {
    const JsonNode* node = record.Find(field);
    const auto text = node == nullptr ? std::nullopt : node->AsText();
    if (!text) return Refused("the field " + Quoted(field) + " is missing or not text", "");
    messages.emplace_back(jinja::Dict{{"role", role}, {"content", *text}});
  }
  return chat.Marked(jinja::Value(std::move(messages)).Json(-1));
}

Result<Form> FormOf(const TextDataOptions& options, const Tokenizer& tokenizer) {
  if (options.chat) {
    EBB_ASSIGN_OR_RETURN(const ChatTemplate chat, ChatTemplate::Of(tokenizer));
    return [chat, fields = *options.chat](const RecordReader& reader, const JsonNode& record) {
      return ChatOf(chat, fields, reader, record);
    };
  }
  EBB_ASSIGN_OR_RETURN(const RecordPattern pattern, RecordPattern::Parse(options.pattern));
  return [pattern](const RecordReader&, const JsonNode& record) { return pattern.Fill(record); };
}

// Reads files into a store of tokens.
class Loader {
 public:
  Loader(const TextDataOptions& options, const Tokenizer& tokenizer, const TextProgress& progress)
      : options_(options), tokenizer_(tokenizer), progress_(progress) {}

  Status Run(const Form& form) {
    for (const platform::Path& file : options_.files) {
      EBB_ASSIGN_OR_RETURN(RecordReader reader, RecordReader::Open(file));
      JsonNode record;
      while (!HasAll()) {
        EBB_ASSIGN_OR_RETURN(const bool more, reader.Next(record));
        if (!more) break;
        auto taken = Take(form, reader, record);
        if (!taken) {
          taken.error().where = reader.Where();
          return taken;
        }
      }
    }
    return {};
  }

  TokenStore store;
  std::size_t records = 0, left_out = 0, without_loss = 0, cut_off = 0;

 private:
  bool HasAll() const { return options_.first_records && records == *options_.first_records; }

  Status Take(const Form& form, const RecordReader& reader, const JsonNode& record) {
    ++records;
    if (progress_ && records % kRecordsBetweenReports == 0) progress_(records);
    for (const RecordFilter& filter : options_.filters) {
      EBB_ASSIGN_OR_RETURN(const bool takes, filter.Takes(record));
      if (takes) continue;
      ++left_out;
      return {};
    }
    EBB_ASSIGN_OR_RETURN(const MarkedText text, form(reader, record));
    return Add(text);
  }

  // A border in the text is the first token that another text up to there would not have.
  Result<std::size_t> TokensBefore(const MarkedText& text, std::size_t border,
                                   std::span<const TokenId> ids) const {
    if (border >= text.text.size()) return ids.size();
    EBB_ASSIGN_OR_RETURN(
        const std::vector<TokenId> before,
        tokenizer_.Encode(std::string_view(text.text).substr(0, border), SpecialTokens::kLeftOut));
    return CommonBeginning(before, ids);
  }

  Status Add(const MarkedText& text) {
    EBB_ASSIGN_OR_RETURN(std::vector<TokenId> ids,
                         tokenizer_.Encode(text.text, SpecialTokens::kLeftOut));
    std::vector<bool> targets(ids.size(), options_.loss_on != LossOn::kAnswer);
    if (options_.loss_on == LossOn::kAnswer) {
      for (const TextRange& answer : text.answers) {
        EBB_ASSIGN_OR_RETURN(const std::size_t begin, TokensBefore(text, answer.begin, ids));
        EBB_ASSIGN_OR_RETURN(const std::size_t end, TokensBefore(text, answer.end, ids));
        for (std::size_t i = begin; i < end; ++i) targets[i] = true;
      }
    }
    if (options_.append_end) {
      ids.push_back(*tokenizer_.special().end);
      targets.push_back(true);
    }
    CutOff(ids, targets);
    if (!options_.chat) Surround(ids, targets);
    Keep(ids, targets);
    if (store.tokens() > options_.token_limit)
      return Refused(
          "the examples have more than " + std::to_string(options_.token_limit) + " tokens", "",
          "take fewer records, or allow more tokens");
    return {};
  }

  // A chat template writes by itself what the tokenizer puts around other texts, which must fit
  // too.
  void CutOff(std::vector<TokenId>& ids, std::vector<bool>& targets) {
    const std::size_t around =
        options_.chat ? 0 : tokenizer_.before().size() + tokenizer_.after().size();
    const std::size_t room = options_.max_tokens - around;
    if (ids.size() <= room) return;
    ids.resize(room);
    targets.resize(room);
    ++cut_off;
  }

  void Surround(std::vector<TokenId>& ids, std::vector<bool>& targets) const {
    const std::vector<TokenId>& before = tokenizer_.before();
    const std::vector<TokenId>& after = tokenizer_.after();
    const bool counts = options_.loss_on != LossOn::kAnswer;
    ids.insert(ids.begin(), before.begin(), before.end());
    targets.insert(targets.begin(), before.size(), counts);
    ids.insert(ids.end(), after.begin(), after.end());
    targets.insert(targets.end(), after.size(), true);
  }

  void Keep(const std::vector<TokenId>& ids, const std::vector<bool>& targets) {
    const bool counts =
        ids.size() > 1 && std::find(targets.begin() + 1, targets.end(), true) != targets.end();
    if (counts || (options_.loss_on == LossOn::kEverything && !ids.empty()))
      store.Add(ids, targets);
    else
      ++without_loss;
  }

  const TextDataOptions& options_;
  const Tokenizer& tokenizer_;
  const TextProgress& progress_;
};

Status Check(const TextDataOptions& options, const Tokenizer& tokenizer) {
  if (options.files.empty()) return Refused("no file of text data was given", "");
  if (options.max_tokens < 2 + tokenizer.before().size() + tokenizer.after().size())
    return Refused("an example of at most " + std::to_string(options.max_tokens) +
                       " tokens has nothing to predict",
                   "", "allow more tokens");
  if (!(options.validation_share >= 0 && options.validation_share < 1))
    return Refused("the share for validation must be at least 0 and below 1", "");
  if (options.append_end && !tokenizer.special().end)
    return Refused("the tokenizer names no end-of-text token", "",
                   "add eos_token to tokenizer_config.json");
  if (options.packed && options.loss_on == LossOn::kEverything)
    return Refused("packed examples have no padding to count in the loss", "");
  if (options.chat && !options.chat->messages.empty() &&
      std::any_of(options.files.begin(), options.files.end(), [](const platform::Path& file) {
        return Lowercase(file.string()).find(".csv") != std::string::npos;
      }))
    return Refused("CSV has no lists of messages", options.files.front().string(), "use .jsonl");
  return {};
}

}  // namespace

Result<TextDataOptions> TextDataPreset(std::string_view name) {
  TextDataOptions options;
  if (name == "helpsteer2") {
    options.first_records = 5000;
    options.pad_to_max = true;
    options.loss_on = LossOn::kEverything;
  } else if (name == "text") {
    options.pattern = kTextPattern;
  } else if (name == "chat" || name == "chat-prompt-response") {
    options.chat = ChatFields{name == "chat" ? "messages" : "", "prompt", "response"};
    options.loss_on = LossOn::kAnswer;
  } else if (name != "prompt-response") {
    return Refused("there is no preset " + Quoted(name) + " of text data", "",
                   "there are helpsteer2, prompt-response, text, chat, chat-prompt-response");
  }
  return options;
}

Result<TextData> LoadTextData(const TextDataOptions& options, const Tokenizer& tokenizer,
                              const TextProgress& progress) {
  EBB_RETURN_IF_ERROR(Check(options, tokenizer));
  EBB_ASSIGN_OR_RETURN(const Form form, FormOf(options, tokenizer));
  Loader loader(options, tokenizer, progress);
  EBB_RETURN_IF_ERROR(loader.Run(form));
  const std::size_t count = loader.store.size();
  const auto validation_count =
      static_cast<std::size_t>(std::ceil(options.validation_share * static_cast<double>(count)));
  if (count == validation_count)
    return Refused("no example is left to train on: " + std::to_string(loader.records) +
                       " records, " + std::to_string(loader.left_out) + " left out by filters, " +
                       std::to_string(loader.without_loss) + " without a token that counts",
                   options.files.front().string());
  const std::vector<std::uint32_t> order = NumpyPermutation(options.split_seed, count);
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(validation_count);
  const auto store = std::make_shared<const TokenStore>(std::move(loader.store));
  BatchForm batches;
  batches.padding = tokenizer.special().padding.value_or(tokenizer.special().end.value_or(0));
  batches.loss_on = options.loss_on;
  if (options.pad_to_max) batches.columns = options.max_tokens;
  TextDataset training(store, {middle, order.end()}, batches);
  if (options.packed) training = training.Packed(options.max_tokens);
  return TextData{std::move(training), TextDataset(store, {order.begin(), middle}, batches),
                  loader.records,      loader.left_out,
                  loader.without_loss, loader.cut_off};
}

}  // namespace ebb::train
