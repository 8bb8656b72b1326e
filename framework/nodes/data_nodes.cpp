#include "framework/nodes/data_nodes.h"

#include <algorithm>

#include "framework/base/error.h"
#include "framework/base/files.h"
#include "framework/base/strings.h"
#include "framework/data/dataset_writer.h"
#include "framework/data/fingerprint.h"
#include "framework/data/split_files.h"
#include "framework/options/json.h"

namespace lvtext {
namespace {

const std::vector<std::string>& split_names() {
  static const std::vector<std::string> names = {"train", "valid", "test", "reverse"};
  return names;
}

void run_source(NodeRun& run, const DataOptions& options, const DataPlaces& places) {
  const Splits splits = load_splits(options, places);
  const std::map<std::string, const std::vector<std::string>*> all = {{"train", &splits.train},
                                                                      {"valid", &splits.valid},
                                                                      {"test", &splits.test},
                                                                      {"reverse", &splits.reverse}};
  for (const auto& name : split_names()) {
    write_lines(run.folder.path() / (name + ".txt"), *all.at(name));
    run.outputs.push_back(name + ".txt");
    run.facts["sentences"][name] = all.at(name)->size();
  }
  run.facts["counts"] = to_json(splits.counts);
}

}  // namespace

void write_lines(const std::filesystem::path& file, const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  write_file_atomic(file, text);
}

std::vector<std::string> read_written_lines(const FinishedRun& run, const std::string& file) {
  std::vector<std::string> lines = split(run.read(file), '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();  // what follows the last line end
  return lines;
}

std::function<void(NodeRun&)> source_run(IfMissing if_missing, std::function<void(NodeRun&)> run) {
  if (if_missing == IfMissing::kFail) return run;
  return [run = std::move(run)](NodeRun& node) {
    try {
      run(node);
    } catch (const MissingError& error) {
      throw NodeSkipped(error.what());
    } catch (const DeviceError& error) {  // a download failed from all URLs
      throw NodeSkipped(error.what());
    }
  };
}

std::vector<std::string> read_split(const std::filesystem::path& source, const std::string& split) {
  return read_written_lines(FinishedRun(source), split + ".txt");
}

std::vector<std::string> read_text(const std::filesystem::path& folder) {
  return read_written_lines(FinishedRun(folder), "text.txt");
}

std::shared_ptr<const Tokenizer> read_tokenizer(const std::filesystem::path& folder) {
  const auto file = FinishedRun(folder).file("tokenizer.model");
  return std::make_shared<SentencePiece>(SentencePiece::load(file));
}

Dataset read_dataset(const std::filesystem::path& folder) {
  return Dataset(FinishedRun(folder).file(kDatasetFile));
}

DataNodes add_data(Graph& graph, const DataBlock& data, const DataPlaces& places) {
  DataNodes nodes;
  GraphNode source;
  source.name = "data-source";
  source.kind = NodeKind::kSource;
  source.component = data.source.train.empty() ? data.source.set : "own_text";
  source.seed = data.source.seed;
  // Not the paths: an edited text is another node, the same text elsewhere is not.
  source.options = data_fingerprint(data.source);
  source.run = source_run(data.source.if_missing, [options = data.source, places](NodeRun& run) {
    run_source(run, options, places);
  });
  nodes.source = graph.add(std::move(source));

  GraphNode tokenizer;
  tokenizer.name = "data-tokenizer";
  tokenizer.kind = NodeKind::kFit;
  tokenizer.component = "sentencepiece";
  tokenizer.options = canonical_json(to_node(data.tokenizer));
  tokenizer.inputs = {{"source", nodes.source}};
  tokenizer.run = [options = data.tokenizer](NodeRun& run) {
    TokenizerTraining seen;
    const SentencePiece trained =
        SentencePiece::train(read_split(run.input("source"), "train"), options, &seen);
    write_file_atomic(run.folder.path() / "tokenizer.model", trained.bytes());
    run.outputs = {"tokenizer.model"};
    run.facts = {{"pieces", trained.size()},
                 {"sha256", trained.sha256()},
                 {"lines", seen.lines},
                 {"too_long", seen.too_long}};
  };
  nodes.tokenizer = graph.add(std::move(tokenizer));

  for (const auto& split : split_names()) {
    GraphNode pack;
    pack.name = "data-pack-" + split;
    pack.kind = NodeKind::kPack;
    pack.component = "text";
    pack.options = {{"split", split}};
    pack.inputs = {{"source", nodes.source}, {"tokenizer", nodes.tokenizer}};
    pack.run = [split](NodeRun& run) {
      const auto tokenizer = read_tokenizer(run.input("tokenizer"));
      const Vocabulary& vocabulary = tokenizer->vocabulary();
      DatasetWriter writer(run.folder.path() / kDatasetFile, {{.vocabulary = vocabulary}});
      int64_t sentences = 0, tokens = 0, unknown = 0;
      for (const auto& line : read_split(run.input("source"), split)) {
        const TokenIds ids = tokenizer->encode(line);
        writer.add_text(0, ids);
        writer.end_row();
        ++sentences;
        tokens += std::ssize(ids);
        unknown += std::count(ids.begin(), ids.end(), vocabulary.unk);
      }
      writer.finish();
      run.outputs = {kDatasetFile};
      run.facts = {{"sentences", sentences}, {"tokens", tokens}, {"unknown", unknown}};
    };
    nodes.packs[split] = graph.add(std::move(pack));
  }
  return nodes;
}

NodeInputs finished_packs(const DataNodes& data, const GraphStatus& status) {
  NodeInputs packs;
  for (const char* split : {"train", "valid"}) {
    const NodeStatus& entry = status.at(data.packs.at(split));
    if (entry.state != NodeState::kFinished) return {};
    packs[split] = entry.folder;
  }
  return packs;
}

}  // namespace lvtext
