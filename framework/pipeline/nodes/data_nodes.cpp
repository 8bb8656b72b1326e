#include "framework/pipeline/nodes/data_nodes.h"
#include "framework/pipeline/store/finished_data.h"

#include <algorithm>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/log.h"
#include "framework/core/base/strings.h"
#include "framework/core/base/white_space.h"
#include "framework/core/checkpoint/safetensors.h"
#include "framework/core/datasets/dataset_writer.h"
#include "framework/core/options/json.h"
#include "framework/core/sources/given_files.h"
#include "framework/core/sources/split_files.h"
#include "framework/core/text/token_ids.h"
#include "framework/pipeline/store/loaded_inputs.h"
#include "framework/pipeline/store/model_weights.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

/// Component name of sources that select records of another source.
constexpr const char* kDerived = "derived";

/// Writes the records and adds their numbers to the metadata.
void seal_records(NodeRun& run, const std::map<std::string, Records>& splits) {
  run.outputs = write_records(splits, run.folder.path());
  for (const auto& [split, records] : splits)
    run.metadata["sentences"][split] = records.rows.size();
}

void run_source(NodeRun& run, const DataOptions& options, const DataLocations& locations) {
  const Splits splits = load_splits(options, locations);
  seal_records(run, splits.records);
  run.metadata["counts"] = to_json(splits.counts);
}

/// With IfMissing::kSkip, unavailable data end the node as skipped.
void run_source_or_skip(NodeRun& run, const DataOptions& options, const DataLocations& locations) {
  if (options.if_missing == IfMissing::kFail) return run_source(run, options, locations);
  const char* reason = "not run: data missing";
  try {
    run_source(run, options, locations);
  } catch (const MissingError& error) {
    throw NodeSkipped(reason, error.what());
  } catch (const DeviceError& error) {  // a download failed from all URLs
    throw NodeSkipped(reason, error.what());
  }
}

/// One line per record: the text or label of a column; of several texts, the first ("" if none).
std::vector<std::string> lines_of(const Records& records, const std::string& column) {
  const FieldType* type = records.type_of(column);
  if (!type || type->kind != ColumnKind::kText || !type->ragged) return records.column(column);
  const auto field =
      std::find(records.fields.begin(), records.fields.end(), column) - records.fields.begin();
  std::vector<std::string> lines;
  for (const Record& row : records.rows) {
    const auto& texts = std::get<std::vector<std::string>>(row[field]);
    lines.push_back(texts.empty() ? "" : texts.front());
  }
  return lines;
}

/// Warns if texts contain the word "<unk>" and the tokenizer reads it as text, not as one token.
/// Returns the number of these texts.
int64_t check_unknown(const std::vector<std::string>& texts, const Tokenizer& tokenizer) {
  constexpr std::string_view kUnknown = "<unk>";
  const auto has_unknown = [&](const std::string& text) {
    if (text.find(kUnknown) == text.npos) return false;
    const auto words = split_white_space(text);
    return std::find(words.begin(), words.end(), kUnknown) != words.end();
  };
  const TokenIds ids = tokenizer.encode(kUnknown);
  const bool is_token = std::any_of(ids.begin(), ids.end(), [&](int32_t id) {
    return trim(tokenizer.decode(std::span(&id, 1))) == kUnknown;
  });
  if (is_token) return 0;
  const auto count = static_cast<int64_t>(std::count_if(texts.begin(), texts.end(), has_unknown));
  if (count > 0) {
    log_warning(format_count(count, "training text") +
                " with '<unk>', which the tokenizer reads as text, not as the unknown token; if "
                "<unk> means an unknown word, use tokenizer: {type: words, keep_unknown: true}, "
                "or user_defined_symbols: [<unk>] with unk_piece: <oov>");
  }
  return count;
}

/// Writes word vectors. Rows of special ids are zero, except for <s> and </s> if they have vectors.
void write_vectors(const TextVectors& vectors, const Vocabulary& ids, const fs::path& file) {
  const auto count = static_cast<int64_t>(vectors.words.size());
  const at::Tensor given = at::tensor(vectors.values).view({count, vectors.width});
  const at::Tensor special = at::zeros({ids.size - count, vectors.width});  // before the words
  for (int64_t i = 0; i < count; ++i) {
    if (vectors.words[i] == "<s>") special[ids.bos.value()].copy_(given[i]);
    if (vectors.words[i] == "</s>") special[ids.eos.value()].copy_(given[i]);
  }
  write_safetensors(file, {{kWordVectors, at::cat({special, given})}});
}

void run_tokenizer(NodeRun& run, const TokenizerFit& tokenizer, const DataLocations& locations,
                   const std::string& split, const std::string& column) {
  const GivenFile file = tokenizer.given_file();
  FittedTokenizer fitted =
      file.empty()
          ? tokenizer.fit(read_texts(run.input("source"), split, column), run.folder.path())
          : tokenizer.read(locate(file, locations), run.folder.path());
  run.outputs = std::move(fitted.files);
  run.metadata = std::move(fitted.metadata);
  if (fitted.vectors.width == 0) return;
  const auto loaded = tokenizer.load(run.folder.path());
  write_vectors(fitted.vectors, loaded->vocabulary(), run.folder.path() / kInitialFile);
  run.outputs.emplace_back(kInitialFile);
}

std::string add_pack(Graph& graph, const std::string& name, const std::string& split,
                     const std::string& source, const std::string& tokenizer,
                     const Choice<Packer>& packer) {
  GraphNode pack{.name = name, .kind = NodeKind::kPack, .component = packer.name()};
  pack.options = canonical_json(write_option(packer));
  pack.options.erase("type");
  pack.options["split"] = split;
  pack.plugin = packer.plugin();
  pack.inputs = {{"source", source}, {"tokenizer", tokenizer}};
  if (packer->keeps_rows()) pack.rows = {source, split};
  pack.run = [split, packer](NodeRun& run) {
    const Records records = read_records(run.input("source"), split);
    const auto words = read_tokenizer(run.input("tokenizer"));
    const PackCounts counts = packer->pack(records, *words, run.folder.path() / kDatasetFile);
    run.outputs = {kDatasetFile};
    run.metadata = {{"sentences", counts.rows},
                    {"lines", records.rows.size()},
                    {"tokens", counts.tokens},
                    {"unknown", counts.unknown},
                    {"without_tokens", counts.without_tokens},
                    {"dropped", counts.dropped}};
    if (counts.without_tokens > 0) {
      log_warning("data, split " + split + ": " + format_count(counts.without_tokens, "text") +
                  " of " + format_count(counts.rows) +
                  " without a token; trainings leave them out, metrics count them as empty");
    }
    if (split != "train") return;
    const int64_t unknown = check_unknown(texts_of(records, ""), *words);
    if (unknown > 0) run.metadata["unknown_as_text"] = unknown;
  };
  return graph.add(std::move(pack));
}

}  // namespace

std::string add_source(Graph& graph, const std::string& name, const DataOptions& options,
                       const DataLocations& locations) {
  GraphNode source{.name = name, .kind = NodeKind::kSource};
  source.component = options.train.empty() ? options.name() : "own_text";
  source.seed = options.seed;
  if (options.train.empty()) source.data = {options.name()};
  for (const std::string& file : {options.train, options.valid, options.test}) {
    if (!file.empty()) source.data.push_back(fs::path(file).filename().string());
  }
  // Hash contents instead of paths, so that only edited texts, not moved ones, give another node.
  source.options = data_fingerprint(options);
  source.revision = static_cast<int>(records_revision(options));
  source.plugin = reader_plugin(options);
  source.run = [options, locations](NodeRun& run) { run_source_or_skip(run, options, locations); };
  return graph.add(std::move(source));
}

std::string add_derived_source(Graph& graph, const std::string& name,
                               const std::vector<SplitOfSource>& from,
                               const DerivedDataOptions& options) {
  LVT_ASSERT(!from.empty(), "derived data need a source");
  const bool is_joined = !from.front().split.empty();
  const GraphNode& parent = graph.at(from.front().source);
  const std::string set = parent.component == kDerived ? parent.name : parent.component;
  GraphNode source{.name = name, .kind = NodeKind::kSource, .component = kDerived};
  // Revision 2 names the only text among selected columns and labels "text".
  source.revision = options.columns.empty() ? 1 : 2;
  source.options = canonical_json(to_node(options));
  std::vector<std::pair<std::string, std::string>> joined;  // input and split
  for (size_t i = 0; i < from.size(); ++i) {
    const std::string input = is_joined ? "source_" + std::to_string(i) : "source";
    source.inputs[input] = from[i].source;
    if (!is_joined) break;
    source.options["splits"].push_back(from[i].split);
    joined.emplace_back(input, from[i].split);
  }
  source.run = [options, set, joined](NodeRun& run) {
    std::map<std::string, Records> records;
    if (!joined.empty()) {
      std::vector<Records> parts;
      for (const auto& [input, split] : joined) {
        parts.push_back(read_records(run.input(input), split));
      }
      records["train"] = join_records(std::move(parts));
    } else {
      records = read_all_records(run.input("source"));
    }
    auto derived = derive_records(std::move(records), options, set);
    if (!joined.empty()) derived.at("train").parents.clear();  // they are of no single source
    seal_records(run, derived);
  };
  return graph.add(std::move(source));
}

DataNodes add_packs(Graph& graph, const std::string& prefix, const std::string& source,
                    const std::string& tokenizer, const std::vector<std::string>& splits,
                    const Choice<Packer>& pack) {
  DataNodes nodes{source, tokenizer, {}};
  for (const auto& split : splits) {
    nodes.packs[split] = add_pack(graph, prefix + "-pack-" + split, split, source, tokenizer, pack);
  }
  return nodes;
}

bool has_training_text(const DataOptions& options) {
  const auto splits = split_names(options);
  return std::find(splits.begin(), splits.end(), "train") != splits.end();
}

bool has_tokenizer_text(const DataBlock& data) {
  return !data.tokenizer->given_file().empty() || has_training_text(data.source);
}

DataNodes add_data(Graph& graph, const std::string& prefix, const DataBlock& data,
                   const DataLocations& locations, const std::string& tokenizer) {
  if (tokenizer.empty() && !has_tokenizer_text(data)) {
    throw ConfigError("data.tokenizer: '" + data.source.name() +
                      "' has no training text, to which a tokenizer is fitted; use it in a recipe "
                      "with a tokenizer of `artifacts`");
  }
  const std::string source = add_source(graph, prefix + "-source", data.source, locations);
  const std::string used = tokenizer.empty() ? add_tokenizer(graph, prefix + "-tokenizer", source,
                                                             data.tokenizer, locations)
                                             : tokenizer;
  return add_packs(graph, prefix, source, used, split_names(data.source), data.pack);
}

std::string add_tokenizer(Graph& graph, const std::string& name, const std::string& source,
                          const Choice<TokenizerFit>& tokenizer, const DataLocations& locations,
                          const std::string& split, const std::string& column) {
  GraphNode node{.name = name, .kind = NodeKind::kFit, .component = tokenizer.name()};
  node.plugin = tokenizer.plugin();
  node.options = canonical_json(write_option(tokenizer));
  node.options.erase("type");
  node.revision = tokenizer->revision();
  const GivenFile file = tokenizer->given_file();
  if (file.empty()) {
    node.inputs = {{"source", source}};
    // Omit defaults, so that tokenizers of older recipes keep their identities.
    if (split != "train") node.options["split"] = split;
    if (!column.empty()) node.options["column"] = column;
  } else {
    node.options["file"] = content_of(file);
  }
  node.run = [tokenizer, locations, split, column](NodeRun& run) {
    run_tokenizer(run, *tokenizer, locations, split, column);
  };
  return graph.add(std::move(node));
}

std::string add_column(Graph& graph, const std::string& name, const std::string& source,
                       const std::string& split, const std::string& column,
                       const std::string& tokenizer) {
  GraphNode node{.name = name, .kind = NodeKind::kPack, .component = kColumn};
  node.revision = 2;  // revision 1 did not mark its lines
  node.options = {{"split", split}, {"column", column}};
  node.inputs = {{"source", source}, {"tokenizer", tokenizer}};
  node.rows = {source, split};
  node.run = [split, column](NodeRun& run) {
    const Records records = read_records(run.input("source"), split);
    const auto lines = lines_of(records, column);
    const auto words = read_tokenizer(run.input("tokenizer"));
    std::vector<TokenIds> ids;
    for (const std::string& line : lines) ids.push_back(words->encode(line));
    write_text_dataset(run.folder.path() / kDatasetFile, ids, words->vocabulary(), records.parents);
    write_lines(run.folder.path() / "text.txt", lines);
    run.outputs = {kDatasetFile, "text.txt"};
    run.metadata = {{"count", ids.size()}, {kLinesOf, {"text"}}};
  };
  return graph.add(std::move(node));
}

}  // namespace lvtext
