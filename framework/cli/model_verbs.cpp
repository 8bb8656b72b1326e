#include "framework/cli/model_verbs.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

#include "framework/core/base/error.h"
#include "framework/core/base/log.h"
#include "framework/core/base/strings.h"
#include "framework/core/decoding/latent_path.h"
#include "framework/core/decoding/policy_text.h"
#include "framework/core/decoding/sampling.h"
#include "framework/core/decoding/vector_rows.h"
#include "framework/core/options/errors.h"
#include "framework/core/options/numbers.h"
#include "framework/core/text/dialogue.h"
#include "framework/pipeline/check/inline_models.h"

namespace lvtext {
namespace {

struct Verb {
  const char* name;
  const char* component;  ///< inference component that implements it
  const char* needs;      ///< requirements on the model, for messages
  bool encodes = false;   ///< for a VectorDecoder: by the recorded encoder, then `decode`
};
constexpr Verb kVerbs[] = {
    {"generate", "samples", "a prior to sample from, or a decoder without a latent variable"},
    {"complete", "complete", "a decoder without a latent variable"},
    {"reply", "replies", "a decoder without a latent variable, trained on dialogues"},
    {"reconstruct", "reconstructions", "an encoder and a decoder", true},
    {"transfer", "transfer", "styles to transfer between"},
    {"interpolate", "interpolations", "an encoder and a decoder", true},
    {"encode", "encode", "an encoder", true},
    {"draw", "draw", "a generator of images"},
    {"score", "likelihoods", "a decoder that scores a given sentence"},
    {"tokens", "token_alternatives", "a decoder without a latent variable"},
};

const Verb& verb_of(const std::string& name) {
  for (const Verb& verb : kVerbs) {
    if (name == verb.name) return verb;
  }
  throw std::logic_error("no verb '" + name + "'");
}

bool supports(const Component& model, const Verb& verb, const Registries& registries) {
  // A decoder with a latent variable needs a prior to sample it from.
  const bool has_latent = model.can(Encoder::kName) || model.can(StyleTransfer::kName);
  const bool generates = verb.name == std::string("generate");
  if (generates && has_latent && !model.can(PriorSampler::kName)) return false;
  if (verb.encodes && model.can(VectorDecoder::kName)) return true;
  for (const InputDecl& input : registries.inference.get(verb.component).configure().inputs) {
    if (input.type == ArtifactType::kModel && !capability_mismatch(input, model).empty())
      return false;
  }
  return true;
}

/// Warns of inputs of which a model with positions reads only the end.
void warn_of_cuts(const nlohmann::ordered_json& metadata) {
  static bool warned = false;  // once per command
  const bool is_cut = metadata.value("cut_prompts", int64_t{0}) > 0 ||
                      metadata.value("cut_histories", int64_t{0}) > 0;
  if (!is_cut || std::exchange(warned, true)) return;
  log_warning("a text is longer than the model reads: its beginning is left out");
}

}  // namespace

std::vector<std::string> verbs_of(const Component& model, const Registries& registries) {
  std::vector<std::string> names;
  for (const Verb& verb : kVerbs) {
    // Whether a model replies is known from its tokenizer.
    if (verb.name != std::string("reply") && supports(model, verb, registries)) {
      names.emplace_back(verb.name);
    }
  }
  return names;
}

ModelVerbs::ModelVerbs(TrainedRun run, const Registries& registries)
    : run_(std::move(run)), registries_(registries) {
  const auto* transfer = dynamic_cast<StyleTransfer*>(run_.model.model.get());
  if (!transfer) return;
  styles_ = style_names(run_.folder);
  if (std::ssize(styles_) == transfer->styles()) return;
  styles_.clear();
  for (int64_t i = 0; i < transfer->styles(); ++i) styles_.push_back(std::to_string(i));
}

bool ModelVerbs::can(const std::string& verb) const {
  if (verb == "reply" && (!run_.model.tokenizer || !find_dialogue_tokens(*run_.model.tokenizer))) {
    return false;
  }
  const auto* decoder = dynamic_cast<const NextTokenModel*>(run_.model.model.get());
  if (verb == "generate" && decoder && !decoder->start_symbol()) return false;
  return supports(registries_.models.get(run_.model.component), verb_of(verb), registries_);
}

std::vector<std::string> ModelVerbs::verbs() const {
  std::vector<std::string> verbs =
      verbs_of(registries_.models.get(run_.model.component), registries_);
  if (!can("generate")) std::erase(verbs, "generate");
  if (can("reply")) verbs.emplace_back("reply");
  return verbs;
}

void ModelVerbs::require(const std::string& verb) const {
  if (can(verb)) return;
  throw UsageError("'" + run_.folder.filename().string() + "' does not support " + verb +
                   ", which needs " + verb_of(verb).needs + "; model '" + run_.model.component +
                   "' supports " + join(verbs()));
}

std::string ModelVerbs::chat_verb() const {
  if (can("reply")) return "reply";
  if (can("transfer")) return "transfer";
  return can("reconstruct") ? "reconstruct" : only_completes() ? "complete" : "generate";
}
std::string ModelVerbs::probe_verb() const {
  return can("encode") ? "encode" : "score";
}

DecodingPolicy ModelVerbs::policy(const std::string& verb, const VerbOptions& options) const {
  if (options.policy) return *options.policy;
  if (verb != "generate" && verb != "complete" && verb != "reply") return PolicyOptions{};
  const Component& model = registries_.models.get(run_.model.component);
  return sampling_policy(model.can(PriorSampler::kName));
}

Configured ModelVerbs::configured(const std::string& verb, int64_t first,
                                  const std::map<std::string, std::string>& options) const {
  require(verb);
  const Component& component =
      registries_.inference.get(decodes_vectors() ? "decode" : verb_of(verb).component);
  Node node = Node::mapping({});
  const auto set = [&](const std::string& key, const std::string& value) {
    for (const FieldSchema& field : component.about.schema.fields) {
      if (field.key == key) node = node.with({key, Node::scalar(value), {}});
    }
  };
  set("first", std::to_string(first));
  for (const auto& [key, value] : options) set(key, value);
  return component.configure(node);
}

Inferred ModelVerbs::infer(const std::string& verb, const std::vector<std::string>& lines,
                           int64_t first, const std::map<std::string, std::string>& options,
                           const Dataset* vectors) const {
  const Configured component = configured(verb, first, options);
  Inputs given;
  for (const InputDecl& input : component.inputs) {
    if (input.arity == InputDecl::Arity::kOptional) continue;
    if (input.type == ArtifactType::kDataset) {
      given.add(input.name, vectors ? *vectors : recorded_encoder().encode(lines));
    } else if (input.type == ArtifactType::kText) {
      given.add(input.name, Text(lines));
    }
  }
  return infer(verb, given, first, options);
}

Inferred ModelVerbs::infer(const std::string& verb, const Inputs& given, int64_t first,
                           const std::map<std::string, std::string>& options) const {
  const Configured component = configured(verb, first, options);
  Inputs inputs = given;
  for (const InputDecl& input : component.inputs) {
    if (input.type == ArtifactType::kModel) inputs.add(input.name, run_.model);
  }
  const at::NoGradGuard no_grad;
  return component.inference->run(inputs, [](const std::string&) {});
}

std::map<std::string, std::string> ModelVerbs::decoding_options(const VerbOptions& options) const {
  std::map<std::string, std::string> given = {{"seed", std::to_string(options.seed)},
                                              {"max_length", std::to_string(options.max_length)},
                                              {"steps", std::to_string(options.steps)}};
  if (options.policy) given["policy"] = policy_text(*options.policy);
  return given;
}

void ModelVerbs::remember(const Inferred& written, bool begins_text) {
  written_.reset();
  if (written.text.empty() || !written.text.has_ids()) return;
  written_.emplace();
  written_->tokens = written.text.ids().back();
  written_->begins_text = begins_text;
  for (const InferredColumn& column : written.columns) {
    if (column.decl.name == "prompt") written_->context = column.text.ids().back();
  }
}

std::vector<std::string> ModelVerbs::texts(const std::string& verb,
                                           const std::vector<std::string>& lines, int64_t first,
                                           const VerbOptions& options,
                                           const std::map<std::string, std::string>& own,
                                           const Dataset* vectors) {
  std::map<std::string, std::string> given = decoding_options(options);
  given.insert(own.begin(), own.end());
  const Inferred inferred = infer(verb, lines, first, given, vectors);
  warn_of_cuts(inferred.metadata);
  remember(inferred, verb != "complete");
  return {inferred.text.lines().begin(), inferred.text.lines().end()};
}

std::vector<std::string> ModelVerbs::generate(int64_t first, int64_t count,
                                              const VerbOptions& options) {
  return texts("generate", {}, first, options, {{"count", std::to_string(count)}});
}

bool ModelVerbs::only_completes() const {
  const auto* decoder = dynamic_cast<const NextTokenModel*>(run_.model.model.get());
  return can("complete") && decoder != nullptr && !decoder->start_symbol();
}

std::vector<std::string> ModelVerbs::complete(const std::vector<std::string>& lines, int64_t first,
                                              const VerbOptions& options) {
  return texts("complete", lines, first, options);
}

std::string ModelVerbs::reply(const std::vector<std::string>& utterances,
                              const std::vector<std::string>& persona, int64_t number,
                              const VerbOptions& options) {
  Inputs given;
  given.add("history", Text(utterances));
  given.add_rows("history", {0, std::ssize(utterances)});
  given.add("persona", Text(persona));
  given.add_rows("persona", {0, std::ssize(persona)});
  std::map<std::string, std::string> decoding = decoding_options(options);
  decoding["history"] = std::to_string(options.history);
  const Inferred inferred = infer("reply", given, number, decoding);
  warn_of_cuts(inferred.metadata);
  remember(inferred, /*begins_text=*/true);
  return inferred.text.lines().front();
}

WrittenTokens ModelVerbs::tokens_of(const std::string& line) const {
  return {{}, run_.model.tokenizer->encode(line)};
}

TokenTable ModelVerbs::token_table(const WrittenTokens& written, const VerbOptions& options) const {
  require("tokens");
  const auto& model = dynamic_cast<const NextTokenModel&>(*run_.model.model);
  const auto& tokenizer = run_.model.tokenizer;
  TokenIds text = written.context;
  text.insert(text.end(), written.tokens.begin(), written.tokens.end());
  if (const auto positions = model.max_positions()) {
    // The first token is not predicted without a start symbol, the last one not read without EOS.
    const int64_t most = *positions - (model.start_symbol() ? 1 : 0) + (model.ends() ? 0 : 1);
    if (std::ssize(text) > most) text.erase(text.begin(), text.end() - most);
  }
  TokenTable table{.vocabulary = model.vocabulary().size};
  std::map<std::string, std::string> own;
  const auto* policy = options.policy ? std::get_if<PolicyOptions>(&*options.policy) : nullptr;
  if (policy && policy->type != Policy::kGreedy) {
    own["policy"] = policy_text(*policy);
    table.distribution = "policy " + own["policy"];
  } else {
    const double alpha = model.output_map().alpha;
    table.distribution =
        alpha == 1 ? "softmax of the model" : format_number(alpha) + "-entmax of the model";
  }
  Inputs given;
  given.add("text", Text(std::vector<TokenIds>{text}, tokenizer));
  const Inferred inferred = infer("tokens", given, 0, own);
  const auto column = [&](const std::string& name) -> const InferredColumn& {
    return *std::find_if(inferred.columns.begin(), inferred.columns.end(),
                         [&](const InferredColumn& each) { return each.decl.name == name; });
  };
  const auto tokens = column("token").text.ids(), others = column("alternative").text.ids();
  const auto all = std::ssize(tokens);
  const int64_t each = all > 0 ? std::ssize(others) / all : 0;
  const int64_t shown = std::ssize(written.tokens) + (model.ends() ? 1 : 0);
  const auto possible = [&](int32_t id, bool begins, const char* probabilities, int64_t index) {
    return PossibleToken{token_label(*tokenizer, id, begins),
                         column(probabilities).values[index].item<double>()};
  };
  if (written.context.empty() && shown == all + 1 && !written.tokens.empty()) {
    table.given = token_label(*tokenizer, written.tokens.front(), /*begins_text=*/true);
  }
  for (int64_t i = std::max<int64_t>(0, all - shown); i < all; ++i) {
    const bool begins = i == all - shown && written.begins_text;
    TokenChoice choice{possible(tokens[i].front(), begins, "probability", i),
                       column("support").values[i].item<int64_t>()};
    for (int64_t k = i * each; k < (i + 1) * each; ++k) {
      choice.others.push_back(possible(others[k].front(), begins, "alternative_probability", k));
      if (choice.others.back().probability == 0) choice.others.pop_back();
    }
    table.tokens.push_back(std::move(choice));
  }
  return table;
}

std::vector<std::string> ModelVerbs::reconstruct(const std::vector<std::string>& lines,
                                                 int64_t first, const VerbOptions& options) {
  return texts("reconstruct", lines, first, options);
}

size_t ModelVerbs::style(const std::string& text, const std::string& from) const {
  const auto named = std::find(styles_.begin(), styles_.end(), text);
  if (named != styles_.end()) return static_cast<size_t>(named - styles_.begin());
  const auto index = parse_int(text);
  if (index && *index >= 0 && *index < std::ssize(styles_)) return static_cast<size_t>(*index);
  throw UsageError(from + ": unknown style " + shown(text) + "; " + suggestion(text, styles_));
}

StylePair ModelVerbs::style_pair(std::optional<size_t> from, std::optional<size_t> to) const {
  if (from && to) return {*from, *to};
  if (styles_.size() != 2 || (!from && !to)) {
    throw UsageError("transfer requires the style of the sentences and the style to transfer to" +
                     std::string(styles_.size() == 2 ? ", or one of them" : "") +
                     "; the styles are " + join(styles_));
  }
  return {from.value_or(1 - to.value_or(0)), to.value_or(1 - from.value_or(0))};
}

std::vector<std::string> ModelVerbs::transfer(const std::vector<std::string>& lines,
                                              const StylePair& styles, int64_t first,
                                              const VerbOptions& options) {
  return texts("transfer", lines, first, options,
               {{"from", std::to_string(styles.from)}, {"to", std::to_string(styles.to)}});
}

std::vector<std::string> ModelVerbs::interpolate(const std::string& from, const std::string& to,
                                                 int64_t number, const VerbOptions& options) {
  if (!decodes_vectors()) return texts("interpolate", {from, to}, number, options);
  const at::Tensor ends = encode({from, to});
  const at::Tensor path =
      latents_between(ends[0], ends[1], options.steps, /*on_unit_sphere=*/false);
  const ColumnDecl decl{.name = "embedding", .kind = ColumnKind::kVector, .shape = {path.size(1)}};
  const Dataset vectors = dataset_of({.columns = {{.decl = decl, .values = path}}});
  return texts("interpolate", {}, number * options.steps, options, {}, &vectors);
}

at::Tensor ModelVerbs::encode(const std::vector<std::string>& lines) {
  require("encode");
  if (decodes_vectors()) {
    return vector_rows(recorded_encoder().encode(lines), recorded_encoder().column(), "encode");
  }
  return infer("encode", lines, 0, {}).columns.front().values;
}

at::Tensor ModelVerbs::encode(const std::vector<std::string>& lines, int64_t first,
                              const VerbOptions& options) {
  const DecodingPolicy any = policy("encode", options);
  const auto* chosen = std::get_if<PolicyOptions>(&any);
  if (chosen && chosen->type == Policy::kGreedy) return encode(lines);
  if (decodes_vectors()) {
    throw UsageError("--policy: model '" + run_.model.component +
                     "' decodes given vectors, which have no posterior to sample from; encode "
                     "takes greedy");
  }
  if (!chosen || chosen->type != Policy::kTemperature || chosen->temperature != 1) {
    throw UsageError(
        "--policy: encode takes greedy (posterior mean) or sample (a sample from the posterior)");
  }
  return infer("encode", lines, first, {{"draw", "true"}, {"seed", std::to_string(options.seed)}})
      .columns.front()
      .values;
}

bool ModelVerbs::decodes_vectors() const {
  return dynamic_cast<const VectorDecoder*>(run_.model.model.get()) != nullptr;
}

const RecordedEncoder& ModelVerbs::recorded_encoder() const {
  if (!recorded_encoder_) {
    const auto* decoder = dynamic_cast<const VectorDecoder*>(run_.model.model.get());
    const int64_t width =
        decoder ? decoder->vector_size()
                : dynamic_cast<const ImageGenerator&>(*run_.model.model).condition_size();
    recorded_encoder_.emplace(run_, width, registries_);
  }
  return *recorded_encoder_;
}

at::Tensor ModelVerbs::draw(const std::vector<std::string>& captions, int64_t first,
                            const VerbOptions& options) {
  require("draw");
  return infer("draw", captions, first,
               {{"column", recorded_encoder().column()},
                {"seed", std::to_string(options.seed)},
                {"draws", std::to_string(options.draws)}})
      .columns.front()
      .values;
}

std::vector<ModelVerbs::LineScore> ModelVerbs::score(const std::vector<std::string>& lines) {
  const auto tensors = infer("score", lines, 0, {}).tensors;
  std::vector<LineScore> scores;
  for (int64_t i = 0; i < tensors.at("nats").numel(); ++i) {
    scores.push_back(
        {tensors.at("nats")[i].item<double>(), tensors.at("tokens")[i].item<int64_t>()});
  }
  return scores;
}

}  // namespace lvtext
