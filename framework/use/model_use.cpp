#include "framework/use/model_use.h"

#include <ATen/ATen.h>

#include "framework/base/error.h"
#include "framework/base/strings.h"
#include "framework/decoding/code_path.h"
#include "framework/decoding/over_sentences.h"
#include "framework/decoding/sampling.h"
#include "framework/model/code_space.h"

namespace lvtext {
namespace {

struct Verb {
  const char* name;
  const char* needs;  ///< of a model, in words
};
constexpr Verb kVerbs[] = {
    {"generate", "a prior to draw from, or a decoder without a latent code"},
    {"reconstruct", "an encoder and a decoder"},
    {"interpolate", "an encoder and a decoder"},
    {"encode", "an encoder"},
    {"score", "the likelihood of a given sentence"},
};

}  // namespace

ModelUse::ModelUse(TrainedRun run)
    : run_(std::move(run)),
      encodes_(dynamic_cast<Encodes*>(run_.trained.model.get())),
      prior_(dynamic_cast<SamplesPrior*>(run_.trained.model.get())),
      decoder_(dynamic_cast<NextToken*>(run_.trained.model.get())),
      scores_(dynamic_cast<ScoresText*>(run_.trained.model.get())) {
  on_unit_sphere_ = codes_on_unit_sphere(*run_.trained.model);
}

bool ModelUse::can(const std::string& verb) const {
  if (verb == "generate") return decoder_ && (prior_ || !encodes_);
  if (verb == "reconstruct" || verb == "interpolate") return encodes_ && decoder_;
  if (verb == "encode") return encodes_ != nullptr;
  return verb == "score" && scores_ != nullptr;
}

std::vector<std::string> ModelUse::verbs() const {
  std::vector<std::string> names;
  for (const Verb& verb : kVerbs) {
    if (can(verb.name)) names.push_back(verb.name);
  }
  return names;
}

void ModelUse::require(const std::string& verb) const {
  if (can(verb)) return;
  std::string needs;
  for (const Verb& each : kVerbs) {
    if (verb == each.name) needs = each.needs;
  }
  throw UsageError("'" + run_.folder.filename().string() + "' cannot " + verb + ": that needs " +
                   needs + ", and its model is '" + run_.trained.name + "'; it can " +
                   join(verbs()));
}

std::string ModelUse::chat_verb() const {
  return can("reconstruct") ? "reconstruct" : "generate";
}
std::string ModelUse::probe_verb() const {
  return can("encode") ? "encode" : "score";
}

std::vector<TokenIds> ModelUse::pieces(const std::vector<std::string>& lines) const {
  std::vector<TokenIds> sentences;
  sentences.reserve(lines.size());
  for (const auto& line : lines) sentences.push_back(run_.tokenizer->encode(line));
  return sentences;
}

std::vector<std::string> ModelUse::texts(const Decoded& decoded) const {
  std::vector<std::string> lines;
  lines.reserve(decoded.sentences.size());
  for (const auto& sentence : decoded.sentences) lines.push_back(run_.tokenizer->decode(sentence));
  return lines;
}

DecodingPolicy ModelUse::policy(const std::string& verb, const UseOptions& options) const {
  if (options.policy) return *options.policy;
  return verb == "generate" ? sampling_policy(prior_ != nullptr) : PolicyOptions{};
}

DecodeOptions ModelUse::decoding(const std::string& verb, const UseOptions& options) const {
  return {policy(verb, options), options.max_length, kDecodeBatch};
}

std::vector<std::string> ModelUse::generate(int64_t first, int64_t count,
                                            const UseOptions& options) {
  require("generate");
  return texts(sample_sentences(*decoder_, prior_, first, count, options.seed,
                                decoding("generate", options)));
}

std::vector<std::string> ModelUse::reconstruct(const std::vector<std::string>& lines, int64_t first,
                                               const UseOptions& options) {
  require("reconstruct");
  const NoiseKey key{static_cast<uint64_t>(options.seed), 0, 0, noise_use("use.reconstruct")};
  return texts(lvtext::reconstruct(*encodes_, *decoder_, pieces(lines),
                                   decoding("reconstruct", options), key, first));
}

std::vector<std::string> ModelUse::interpolate(const std::string& from, const std::string& to,
                                               int64_t number, const UseOptions& options) {
  require("interpolate");
  const at::Tensor ends = encode({from, to});
  const at::Tensor codes = codes_between(ends[0], ends[1], options.steps, on_unit_sphere_);
  // One noise for the whole way, so that under sampling only the code changes the text.
  const at::Tensor ids = at::full({options.steps}, number, at::kLong);
  const NoiseKey key{static_cast<uint64_t>(options.seed), 0, 0, noise_use("use.interpolate")};
  return texts(decode(*decoder_, codes, ids, key, decoding("interpolate", options)));
}

at::Tensor ModelUse::encode(const std::vector<std::string>& lines) {
  require("encode");
  return posterior_means(*encodes_, pieces(lines), kDecodeBatch).to(at::kFloat).contiguous();
}

at::Tensor ModelUse::encode(const std::vector<std::string>& lines, int64_t first,
                            const UseOptions& options) {
  const DecodingPolicy any = policy("encode", options);
  const auto* chosen = std::get_if<PolicyOptions>(&any);
  if (chosen && chosen->type == Policy::kGreedy) return encode(lines);
  if (!chosen || chosen->type != Policy::kTemperature || chosen->temperature != 1) {
    throw UsageError(
        "--policy: encode takes greedy (the mean of the posterior) or sample (a draw of it)");
  }
  require("encode");
  const NoiseKey key{static_cast<uint64_t>(options.seed), 0, 0, noise_use("use.encode")};
  return posterior_draws(*encodes_, pieces(lines), kDecodeBatch, key, first);
}

std::vector<ModelUse::LineScore> ModelUse::score(const std::vector<std::string>& lines) {
  require("score");
  const auto sentences = pieces(lines);
  const std::vector<double> nats =
      encodes_ ? reconstruction_nats(*encodes_, *scores_, sentences, kDecodeBatch)
               : sentence_nats(*scores_, sentences, kDecodeBatch);
  std::vector<LineScore> scores;
  for (size_t i = 0; i < nats.size(); ++i) {
    scores.push_back({nats[i], static_cast<int64_t>(sentences[i].size()) + 1});
  }
  return scores;
}

}  // namespace lvtext
