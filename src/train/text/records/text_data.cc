#include "train/text/records/text_data.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "train/text/records/numpy_permutation.h"
#include "train/text/records/record_reader.h"
#include "train/text/template/chat_template.h"
#include "train/text/template/jinja_value.h"

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

// Converts a record of CSV, whose fields are texts.
jinja::Value ValueOf(const JsonNode& record) {
  jinja::Dict members;
  for (const JsonMember& member : record.members)
    members.emplace_back(member.name, member.value.text);
  return members;
}

Result<MarkedText> ChatOf(const ChatTemplate& chat, const TextDataOptions& options,
                          const RecordReader& reader, const JsonNode& record) {
  // Parses the line itself, because a template may print members in their order.
  jinja::Value whole;
  if (reader.Json().empty()) {
    whole = ValueOf(record);
  } else {
    EBB_ASSIGN_OR_RETURN(whole, jinja::ParseJsonValue(reader.Json()));
  }
  std::vector<std::string> known = options.ignored_fields;
  for (const RecordFilter& filter : options.filters) known.push_back(filter.field);
  EBB_ASSIGN_OR_RETURN(const ChatRecord read, ReadChat(whole, *options.chat, known));
  return chat.Marked(read);
}

Result<Form> FormOf(const TextDataOptions& options, const Tokenizer& tokenizer) {
  if (options.chat) {
    EBB_ASSIGN_OR_RETURN(const ChatTemplate chat, ChatTemplate::Of(tokenizer));
    return [chat, &options](const RecordReader& reader, const JsonNode& record) {
      return ChatOf(chat, options, reader, record);
    };
  }
  EBB_ASSIGN_OR_RETURN(const RecordPattern pattern, RecordPattern::Parse(options.pattern));
  return [pattern](const RecordReader&, const JsonNode& record) { return pattern.Fill(record); };
}

// Reads files into a store of tokens.
class Loader {
 public:
  Loader(const TextDataOptions& options, const Tokenizer& tokenizer, const TextProgress& progress)
      : options_(options),
        tokenizer_(tokenizer),
        progress_(progress),
        append_end_(options.append_end != AppendEnd::kNo && tokenizer.special().end) {
    counts.max_tokens = options.max_tokens;
    counts.end_is_unknown = options.append_end == AppendEnd::kIfKnown && !append_end_;
  }

  Status Run(const Form& form) {
    for (const platform::Path& file : options_.files) {
      EBB_ASSIGN_OR_RETURN(RecordReader reader, RecordReader::Open(file));
      EBB_RETURN_IF_ERROR(ReadFile(reader, form));
    }
    if (!first_error_ || options_.skip_bad_records) return {};
    if (counts.bad > 1)
      first_error_->what += "; " + std::to_string(counts.bad - 1) + " more records are bad";
    if (first_error_->next.empty())
      first_error_->next = "--skip-bad-records leaves such records out";
    return Fail(*first_error_);
  }

  TokenStore store;
  TextCounts counts;

 private:
  bool HasAll() const {
    return options_.first_records && counts.records == *options_.first_records;
  }

  // Reading goes on after a bad record, because somebody who corrects the file needs the number of
  // bad records.
  Status ReadFile(RecordReader& reader, const Form& form) {
    JsonNode record;
    std::string bad_before;
    while (!HasAll()) {
      const Result<bool> more = reader.Next(record);
      if (more && !*more) return {};
      ++counts.records;
      if (progress_ && counts.records % kRecordsBetweenReports == 0) progress_(counts.records);
      Status taken = more ? Take(form, reader, record) : Status(Fail(more.error()));
      if (taken) {
        EBB_RETURN_IF_ERROR(RequireRoom());
        continue;
      }
      taken.error().where = reader.Where();
      // A file that cannot be read any further ends the loop.
      if (taken.error().code != ExitCode::kConfiguration || reader.Where() == bad_before)
        return taken;
      bad_before = reader.Where();
      if (counts.bad++ == 0) {
        first_error_ = taken.error();
        counts.first_bad = taken.error().Message();
      }
    }
    return {};
  }

  Status Take(const Form& form, const RecordReader& reader, const JsonNode& record) {
    for (const RecordFilter& filter : options_.filters) {
      EBB_ASSIGN_OR_RETURN(const bool takes, filter.Takes(record));
      if (takes) continue;
      ++counts.filtered;
      return {};
    }
    EBB_ASSIGN_OR_RETURN(const MarkedText text, form(reader, record));
    return Add(text);
  }

  // The number of tokens before a border in the text: the tokens up to the first one that the text
  // up to the border, encoded alone, does not have.
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
      counts.answers_not_found += text.answers_not_found;
      for (const TextRange& answer : text.answers) {
        EBB_ASSIGN_OR_RETURN(const std::size_t begin, TokensBefore(text, answer.begin, ids));
        EBB_ASSIGN_OR_RETURN(const std::size_t end, TokensBefore(text, answer.end, ids));
        for (std::size_t i = begin; i < end; ++i) targets[i] = true;
      }
    }
    if (append_end_) {
      ids.push_back(*tokenizer_.special().end);
      targets.push_back(true);
    }
    const bool was_cut = CutOff(ids, targets);
    if (!options_.chat) Surround(ids, targets);
    counts.cut_off += was_cut;
    if (!Keep(ids, targets)) {
      ++counts.without_loss;
      counts.lost_by_cut += was_cut;
    }
    return {};
  }

  Status RequireRoom() const {
    if (store.tokens() <= options_.token_limit) return {};
    return Refused(
        "the examples have more than " + std::to_string(options_.token_limit) + " tokens",
        options_.files.front().string(), "take fewer records, or allow more tokens");
  }

  // A chat template itself writes the tokens that the tokenizer puts around other texts. Those
  // tokens must fit, too.
  bool CutOff(std::vector<TokenId>& ids, std::vector<bool>& targets) {
    const std::size_t around =
        options_.chat ? 0 : tokenizer_.before().size() + tokenizer_.after().size();
    const std::size_t room = options_.max_tokens - around;
    if (ids.size() <= room) return false;
    ids.resize(room);
    targets.resize(room);
    return true;
  }

  void Surround(std::vector<TokenId>& ids, std::vector<bool>& targets) const {
    const std::vector<TokenId>& before = tokenizer_.before();
    const std::vector<TokenId>& after = tokenizer_.after();
    const bool is_learned = options_.loss_on != LossOn::kAnswer;
    ids.insert(ids.begin(), before.begin(), before.end());
    targets.insert(targets.begin(), before.size(), is_learned);
    ids.insert(ids.end(), after.begin(), after.end());
    targets.insert(targets.end(), after.size(), true);
  }

  // False if nothing of the example would be learned.
  bool Keep(const std::vector<TokenId>& ids, const std::vector<bool>& targets) {
    const bool is_learned =
        ids.size() > 1 && std::find(targets.begin() + 1, targets.end(), true) != targets.end();
    if (!is_learned && (options_.loss_on != LossOn::kEverything || ids.empty())) return false;
    store.Add(ids, targets);
    return true;
  }

  const TextDataOptions& options_;
  const Tokenizer& tokenizer_;
  const TextProgress& progress_;
  const bool append_end_;
  std::optional<Error> first_error_;  // the first bad record
};

Status Check(const TextDataOptions& options, const Tokenizer& tokenizer) {
  if (options.files.empty()) return Refused("no file of text data was given", "");
  if (options.max_tokens < 2 + tokenizer.before().size() + tokenizer.after().size())
    return Refused("an example of at most " + std::to_string(options.max_tokens) +
                       " tokens has nothing to predict",
                   "", "allow more tokens");
  if (!(options.validation_share >= 0 && options.validation_share < 1))
    return Refused("the share for validation must be at least 0 and below 1", "");
  if (options.append_end == AppendEnd::kYes && !tokenizer.special().end)
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

// The share of the records after filters that may be cut off or left out without a warning.
constexpr double kMuch = 0.05;

}  // namespace

std::string TextCounts::Sentence() const {
  const std::size_t cut_and_used = cut_off - lost_by_cut;
  std::vector<std::string> parts = {
      std::to_string(records - filtered - bad - without_loss - cut_and_used) + " used whole"};
  const auto add = [&](std::size_t count, const std::string& what) {
    if (count > 0) parts.push_back(std::to_string(count) + what);
  };
  add(cut_and_used, " cut off at " + std::to_string(max_tokens) + " tokens");
  add(lost_by_cut,
      " left out because the first " + std::to_string(max_tokens) + " tokens have none to learn");
  add(without_loss - lost_by_cut, " left out because they have no token to learn");
  add(filtered, " left out by filters");
  add(bad, " skipped because they are bad (the first: " + first_bad + ")");
  return std::to_string(records) + " records: " + Join(parts, ", ");
}

std::vector<std::string> TextCounts::Warnings() const {
  std::vector<std::string> warnings;
  const std::size_t concerned = cut_off + without_loss - lost_by_cut;
  if (static_cast<double>(concerned) > kMuch * static_cast<double>(records - filtered - bad))
    warnings.push_back("many records are not learned whole (" + Sentence() + ")" +
                       (cut_off > 0 ? "; a longer --max-length cuts off fewer" : ""));
  if (answers_not_found > 0)
    warnings.push_back(std::to_string(answers_not_found) +
                       " answers of the assistant are not learned: they are not found in the text "
                       "that the chat template writes");
  if (end_is_unknown)
    warnings.push_back(
        "the model does not learn where a text ends: the tokenizer names no end-of-text token "
        "(eos_token in tokenizer_config.json); --no-append-end if that is meant");
  return warnings;
}

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
  } else if (name == "prompt-response") {
    options.append_end = AppendEnd::kIfKnown;
  } else {
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
    return Refused("no example is left to train on: " + loader.counts.Sentence(),
                   options.files.front().string(),
                   loader.counts.cut_off > 0 ? "a longer --max-length cuts off fewer" : "");
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
                  loader.counts};
}

}  // namespace ebb::train
