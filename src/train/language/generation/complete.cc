#include "train/language/generation/complete.h"

#include <chrono>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "platform/path_facts.h"
#include "train/devices/device.h"
#include "train/language/generation/generate.h"
#include "train/language/generation/input_file.h"
#include "train/library_errors.h"
#include "train/text/template/chat_template.h"
#include "train/text/tokenizer/tokenizer.h"
#include "train/text/tokenizer/utf8.h"

namespace ebb::train {
namespace {

// Prints the text of the tokens as they come. Several tokens may form one character, so an
// incomplete character waits.
class Printer {
 public:
  explicit Printer(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  void Add(std::int64_t token) {
    tokens_.push_back(static_cast<TokenId>(token));
    const std::string text = Text();
    if (!text.ends_with(kReplacement)) Print(text);
  }
  void Finish() {
    Print(Text());
    std::puts("");
  }
  std::string Text() const { return tokenizer_.Decode(tokens_).value_or(""); }

 private:
  static constexpr const char* kReplacement = "\xEF\xBF\xBD";

  void Print(const std::string& text) {
    if (text.size() <= printed_) return;
    std::fwrite(text.data() + printed_, 1, text.size() - printed_, stdout);
    std::fflush(stdout);
    printed_ = text.size();
  }

  const Tokenizer& tokenizer_;
  std::vector<TokenId> tokens_;
  std::size_t printed_ = 0;
};

Result<std::string> PromptText(const Tokenizer& tokenizer, const GenerateOptions& options) {
  if (!options.chat) return options.prompt;
  EBB_ASSIGN_OR_RETURN(const ChatTemplate chat, ChatTemplate::Of(tokenizer));
  nlohmann::ordered_json messages = nlohmann::ordered_json::array();
  const auto add = [&](const char* role, const std::string& content) {
    messages.push_back({{"role", role}, {"content", AsUtf8(content)}});
  };
  if (!options.system_message.empty()) add("system", options.system_message);
  add("user", options.prompt);
  return chat.Render(messages.dump(), ChatEnd::kOpenForAnswer);
}

Result<std::vector<std::int64_t>> PromptTokens(const Tokenizer& tokenizer, const Decoder& decoder,
                                               const GenerateOptions& options) {
  EBB_ASSIGN_OR_RETURN(const std::string text, PromptText(tokenizer, options));
  // A template itself writes the tokens that the tokenizer puts around other texts.
  EBB_ASSIGN_OR_RETURN(
      const std::vector<TokenId> ids,
      tokenizer.Encode(text, options.chat ? SpecialTokens::kLeftOut : SpecialTokens::kIncluded));
  const auto fail = [&](std::string what) {
    return Fail({ExitCode::kConfiguration, std::move(what), options.base, ""});
  };
  if (ids.empty()) return fail("the prompt has no token");
  for (const TokenId id : ids)
    if (id >= decoder.config.vocabulary)
      return fail("the tokenizer has the token " + std::to_string(id) +
                  ", but the model's vocabulary ends before");
  return std::vector<std::int64_t>(ids.begin(), ids.end());
}

// A chat model ends its answer with another token than its texts. Three files name tokens that end
// a text, and all of them count.
Result<std::vector<std::int64_t>> EndTokens(const platform::Path& folder, const Decoder& decoder,
                                            const Tokenizer& tokenizer) {
  std::vector<std::int64_t> ends = decoder.config.end_tokens;
  const platform::Path generation = folder / "generation_config.json";
  if (platform::Exists(generation)) {
    EBB_ASSIGN_OR_RETURN(const std::string text, ReadInput(generation));
    EBB_ASSIGN_OR_RETURN(const auto more, ParseGenerationEnds(text, generation.string()));
    ends.insert(ends.end(), more.begin(), more.end());
  }
  if (const auto end = tokenizer.special().end) ends.push_back(*end);
  return ends;
}

Result<GenerateSettings> SettingsOf(const GenerateOptions& options, const Decoder& decoder,
                                    const Tokenizer& tokenizer) {
  EBB_ASSIGN_OR_RETURN(auto ends, EndTokens(options.base, decoder, tokenizer));
  return GenerateSettings{.max_new_tokens = options.max_new_tokens,
                          .temperature = options.temperature,
                          .top_k = options.top_k,
                          .top_p = options.top_p,
                          .seed = options.seed,
                          .end_tokens = std::move(ends)};
}

Status CompleteUnguarded(const GenerateOptions& options) {
  EBB_ASSIGN_OR_RETURN(const torch::Device device, SelectDevice(options.device));
  UseThreads(options.threads);
  const auto type = options.precision == Precision::kBf16 ? torch::kBFloat16 : torch::kFloat32;
  EBB_ASSIGN_OR_RETURN(const Tokenizer tokenizer,
                       Tokenizer::Load(options.base, options.tokenizer_rules));
  EBB_ASSIGN_OR_RETURN(
      Decoder decoder,
      LoadDecoder(options.base, {torch::dtype(type).device(device), options.base_weights}));
  std::optional<Adapter> adapter;
  if (!options.adapter.empty()) {
    OuterWeights outer;
    EBB_ASSIGN_OR_RETURN(adapter, LoadAdapter(options.adapter, decoder, &outer));
    Use(outer, decoder);
  }
  EBB_ASSIGN_OR_RETURN(const auto prompt, PromptTokens(tokenizer, decoder, options));
  EBB_ASSIGN_OR_RETURN(const GenerateSettings settings, SettingsOf(options, decoder, tokenizer));
  Printer printer(tokenizer);
  const auto begin = std::chrono::steady_clock::now();
  const auto tokens =
      Generate(decoder, adapter ? &*adapter : nullptr, prompt, settings, [&](std::int64_t token) {
        if (!options.json) printer.Add(token);
        return true;
      });
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!options.json) {
    printer.Finish();
    return {};
  }
  const std::vector<TokenId> ids(tokens.begin(), tokens.end());
  EBB_ASSIGN_OR_RETURN(const std::string completion, tokenizer.Decode(ids));
  const nlohmann::ordered_json json = {{"prompt", options.prompt},
                                       {"completion", completion},
                                       {"prompt_tokens", prompt.size()},
                                       {"tokens", tokens},
                                       {"seconds", seconds}};
  std::printf("%s\n",
              json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
  return {};
}

}  // namespace

Status Complete(const GenerateOptions& options) {
  return WithLibraryErrors([&] { return CompleteUnguarded(options); });
}

}  // namespace ebb::train
