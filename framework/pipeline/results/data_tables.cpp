#include "framework/pipeline/results/data_tables.h"

#include <algorithm>
#include <map>
#include <set>

#include "framework/core/base/counts.h"
#include "framework/core/base/strings.h"
#include "framework/core/checkpoint/finished_run.h"
#include "framework/core/sources/manifest.h"

namespace lvtext {
namespace {

/// The ids of the sets that a dataset belongs to; for data within an entry, the name of that.
std::string set_of(const Experiment& experiment, const GraphNode& pack) {
  std::vector<std::string> ids;
  const std::string split = pack.options.at("split");
  for (const ExperimentData& set : experiment.data) {
    const auto found = set.nodes.packs.find(split);
    if (found != set.nodes.packs.end() && found->second == pack.name) ids.push_back(set.id);
  }
  if (!ids.empty()) return join(ids);
  std::string name = pack.name;
  const std::string end = "-pack-" + split;
  if (const size_t at = name.rfind(end); at != name.npos) name.erase(at, end.size());
  return name;
}

/// A data set: the names of records, with the datasets that one tokenizer made of them.
struct CountedSet {
  std::string name, source;
  std::map<std::string, nlohmann::ordered_json> packs = {};  ///< split -> metadata
};

/// All finished data that the report needs, those of models that score included.
std::vector<CountedSet> counted_sets(const Experiment& experiment, const GraphStatus& status,
                                     const std::vector<const GraphNode*>& nodes) {
  std::vector<CountedSet> sets;
  const auto set_named = [&](const std::string& name, const std::string& source) -> CountedSet& {
    for (CountedSet& each : sets) {
      if (each.name == name && each.source == source) return each;
    }
    return sets.emplace_back(CountedSet{name, source});
  };
  for (const GraphNode* node : nodes) {
    if (node->kind != NodeKind::kPack || !node->options.contains("split")) continue;
    const auto metadata = metadata_of(status, node->name);
    if (!metadata.is_object() || !metadata.contains("tokens")) continue;
    set_named(set_of(experiment, *node), node->inputs.at("source"))
        .packs[node->options.at("split").get<std::string>()] = metadata;
  }
  for (const GraphNode* node : nodes) {  // of which no dataset is needed
    if (node->kind != NodeKind::kSource) continue;
    const bool is_packed = std::any_of(sets.begin(), sets.end(), [&](const CountedSet& each) {
      return each.source == node->name;
    });
    if (!is_packed) set_named(node->name.substr(0, node->name.rfind("-source")), node->name);
  }
  return sets;
}

/// Removes the columns from index `first` on that have no value in any row.
void remove_empty_columns(TextTable& table, size_t first) {
  for (size_t column = table.columns.size(); column-- > first;) {
    const bool is_empty = std::all_of(table.rows.begin(), table.rows.end(),
                                      [&](const auto& row) { return row[column].empty(); });
    if (!is_empty) continue;
    const auto at = static_cast<std::ptrdiff_t>(column);
    table.columns.erase(table.columns.begin() + at);
    for (auto& row : table.rows) row.erase(row.begin() + at);
  }
}

}  // namespace

nlohmann::ordered_json metadata_of(const GraphStatus& status, const std::string& node) {
  if (status.at(node).state != NodeState::kFinished) return nullptr;
  return FinishedRun(status.at(node).folder).metadata();
}

void add_data_metadata(const Experiment& experiment, ReportData& report) {
  const auto used = experiment.used_data();
  std::vector<std::string> names, limits, tokenizers;
  for (const ExperimentData* set : used) {
    if (!set->block) continue;
    const DataOptions& options = set->block->source;
    const std::string name = options.name();
    add_new(names, used.size() == 1 ? name : set->id + ": " + name);
    const std::string limit = "at most " + format_count(options.max_words, "word");
    if (options.max_words) add_new(limits, used.size() == 1 ? limit : set->id + ": " + limit);
    add_new(tokenizers, set->block->tokenizer->summary());
  }
  const auto report_all = [&](const char* what, const std::vector<std::string>& texts) {
    if (!texts.empty()) report.metadata.push_back({what, join(texts, "; ")});
  };
  report_all("data", names);
  report_all("sentences", limits);
  report_all("tokenizer", tokenizers);
}

void add_data(const Experiment& experiment, const GraphStatus& status, ReportData& report) {
  TextTable counts{"Data",
                   "",
                   {"set", "split", "lines", "tokens", "unknown tokens", "without a token",
                    "tokens in no block", "<unk> as text"},
                   {}};
  TextTable rules{"Preparation of the data", "", {"set", "what", "count"}, {}};
  const auto nodes = experiment.graph.needed_for(experiment.targets());
  for (const CountedSet& set : counted_sets(experiment, status, nodes)) {
    const auto metadata = metadata_of(status, set.source);
    if (!metadata.is_object()) continue;
    for (const auto& [split, lines] : metadata.at("sentences").items()) {
      std::vector<std::string> row = {set.name, split, lines.dump()};
      const auto packed = set.packs.find(split);
      for (const char* key : {"tokens", "unknown"}) {
        row.push_back(packed == set.packs.end() ? "" : packed->second.at(key).dump());
      }
      for (const char* key : {"without_tokens", "dropped", "unknown_as_text"}) {
        const int64_t count = packed == set.packs.end() ? 0 : packed->second.value(key, int64_t{0});
        row.push_back(count == 0 ? "" : std::to_string(count));
      }
      counts.rows.push_back(std::move(row));
    }
  }
  remove_empty_columns(counts, 5);
  for (const GraphNode* node : nodes) {
    const auto metadata = metadata_of(status, node->name);
    if (!metadata.is_object()) continue;
    const std::string set = node->name.substr(
        0, node->name.rfind(node->kind == NodeKind::kSource ? "-source" : "-tokenizer"));
    if (node->kind == NodeKind::kSource && metadata.contains("counts")) {
      for (const auto& [name, value] : metadata.at("counts").items()) {
        rules.rows.push_back({set, name, value.dump()});
      }
    }
    // Lines of more bytes than the option `max_line_bytes` of a tokenizer allows.
    if (node->kind == NodeKind::kFit && metadata.value("too_long", int64_t{0}) > 0) {
      rules.rows.push_back({set, "too long for the tokenizer", metadata.at("too_long").dump()});
    }
  }
  for (TextTable* table : {&counts, &rules}) {
    if (!table->rows.empty()) report.data_counts.push_back(std::move(*table));
  }
}

void add_entropy(const Experiment& experiment, ReportData& report) {
  std::set<std::string> generators;
  for (const ExperimentData* set : experiment.used_data()) {
    if (!set->block || !set->block->source.train.empty() || set->block->source.max_words > 0) {
      continue;
    }
    const DataOptions& source = set->block->source;
    if (!generators.insert(source.name()).second) continue;
    const auto& reader =
        source.draws ? source.reader : load_manifest(source.set, manifest_folders()).reader;
    if (const auto entropy = reader->entropy()) {
      report.metadata.push_back(
          {"entropy of the data", fixed(*entropy, 2) +
                                      " nats per sentence: no cross entropy of fresh sentences can "
                                      "be lower"});
    }
  }
}

}  // namespace lvtext
