#include "framework/pipeline/check/checked_entries.h"

#include <map>
#include <set>
#include <utility>

#include "framework/core/base/strings.h"
#include "framework/core/options/mapping.h"
#include "framework/pipeline/check/find_entry.h"
#include "framework/pipeline/check/inline_models.h"
#include "framework/pipeline/check/row_values.h"
#include "framework/pipeline/check/stream_references.h"
#include "framework/pipeline/check/training_check.h"
#include "framework/pipeline/inference/shared/known_columns.h"

namespace lvtext {
namespace {

/// Reports keys that neither the model nor a row of a recipe has; returns the options without them.
Node check_keys(const Node& options, const Schema& schema, const std::string& path,
                Errors& errors) {
  std::vector<std::string> own, all = kRowKeys;
  for (const FieldSchema& field : schema.fields) own.push_back(field.key);
  all.insert(all.end(), own.begin(), own.end());
  Node known = options;
  for (const Node::Entry& entry : options.entries()) {
    if (contains(all, entry.key)) continue;
    const auto near = entry.key.size() <= 100 ? nearest(entry.key, all) : std::nullopt;
    // The model's own check reports its keys in more detail: type and default.
    if (near && contains(own, *near)) continue;
    errors.add(entry.key_location, "unknown key '" + path + "." + entry.key + "'",
               near ? "did you mean '" + *near + "'?"
                    : "allowed: " + join(kRowKeys) +
                          (own.empty() ? "" : ", and the model's " + join(own)));
    known = known.without(entry.key);
  }
  return known;
}

/// The options of a tokenizer.
struct FitOptions {
  Choice<TokenizerFit> tokenizer;

  template <class V>
  void visit(V& v) {
    v.field("tokenizer", tokenizer, "method of tokenization");
  }
};

/// Reads the entries one by one.
class EntryReader {
 public:
  EntryReader(const CheckContext& context, const DataSets& data, References& references,
              InputParser& inputs, const CheckedTrain& train)
      : context_(context),
        errors_(context.errors),
        data_(data),
        references_(references),
        inputs_(inputs),
        train_(train) {}

  CheckedEntries read() {
    for (const char* section : {"artifacts", "models"}) read_section(section);
    for (const auto& entry : result_.entries) check_fields_of(*entry);
    check_model_defaults();
    return std::move(result_);
  }

 private:
  void read_section(const std::string& section) {
    const Node* entries = context_.recipe.tree.find(section);
    if (!entries) return;
    for (const Node::Entry& entry : entries->entries()) {
      if (!component_key(entry.value)) continue;
      if (section == "artifacts" && fits_tokenizer(context_.recipe.options, entry.key)) {
        read_tokenizer(entry);
        continue;
      }
      if (auto read = read_entry(section, entry)) {
        result_.entries.push_back(std::make_shared<const CheckedEntry>(std::move(*read)));
      }
    }
  }

  void read_tokenizer(const Node::Entry& entry) {
    const std::string path = "artifacts." + entry.key;
    const Node type = Node(*entry.value.find("fit"));
    const Node* data = entry.value.find("data");
    CheckedTokenizer read{.id = entry.key};
    const Node own =
        entry.value.without("fit").without("data").with({"type", type, entry.key_location});
    read.fit = parse_options<FitOptions>(Node::mapping({{"tokenizer", own, {}}}), errors_, {}, path)
                   .tokenizer;
    if (!read.fit) return;
    if (!data && read.fit->given_file().empty()) {
      errors_.add(entry.key_location, path + ".data is missing: the text to which it is fitted",
                  "a split, such as news.train");
      return;
    }
    if (data) {
      const auto named = references_.find(*data, data->location(), {}, path + ".data");
      if (named.size() != 1) return;
      if (named[0].of != KnownReference::Of::kData || named[0].decoded) {
        errors_.add(data->location(),
                    path + ".data: a tokenizer is fitted to records of a data set");
        return;
      }
      read.data = named[0];
    }
    result_.tokenizers.push_back(std::move(read));
  }

  /// Reports the keys of a training in an entry that is not trained.
  void refuse_training(const Node::Entry& entry, const std::string& path,
                       const std::string& reason) {
    for (const char* name : {"train", "validate_on", "init"}) {
      const auto* given = entry.value.find_entry(name);
      if (given) {
        errors_.add(given->key_location, path + "." + name + ": " + reason, "remove it");
      }
    }
  }

  /// The options of an entry's component; `has_defaults`: over the recipe's `model_defaults`.
  Node own_options(const Schema& schema, const Node& known, bool has_defaults) {
    if (!has_defaults) return model_options(known);
    for (const FieldSchema& field : schema.fields) used_defaults_.insert(field.key);
    return with_model_defaults(context_.recipe.options, model_options(known), schema);
  }

  std::optional<CheckedEntry> read_entry(const std::string& section, const Node::Entry& entry) {
    const std::string path = section + "." + entry.key;
    const Node::Entry& key = *component_key(entry.value);
    CheckedEntry read{.id = entry.key,
                      .is_model = section == "models",
                      .seeds = seeds_of(context_.recipe.options, entry.value)};
    const Node* fit = entry.value.find("fit");
    if (key.key == "model" && fit && !fit->is_null()) {
      errors_.add(key.value.location(), path + " has both `model` and `fit`",
                  "remove one of them; a profile or an override removes `model` by `model: null`");
      return std::nullopt;
    }
    const bool infers = key.key == "infer";
    if (key.key == "import" || key.key == "run") return read_imported(entry, std::move(read));
    const size_t before = errors_.count();
    const bool is_trained = read_entry_train(entry, path, read);
    const auto& registry = infers ? context_.registries.inference : context_.registries.models;
    const Component* component =
        find_component(registry, key.value.text(), key.value.location(), errors_);
    if (!component) return std::nullopt;
    if (!infers && !check_kind(*component, entry.value, key.value.location(), errors_))
      return std::nullopt;
    const bool trains = !infers && !component->is_fitted;
    if (!trains) {
      refuse_training(entry, path,
                      infers ? "inference is not trained"
                             : "the model '" + key.value.text() + "' is fitted, not trained");
    }
    const Node known = infers ? entry.value.without("infer")
                              : check_keys(entry.value, component->about.schema, path, errors_);
    const Node own = own_options(component->about.schema, known, read.is_model && !infers);
    const auto configured = component->configure(own, errors_, path);
    StreamReferences data;
    if (trains) {
      data = read_streams(entry, path, read);
      read_init(entry, path, read);
    }
    if (!configured) return std::nullopt;
    check_fitted(*configured, key.value.location(), errors_);
    read.component = *configured;
    if (is_trained && trains) {
      check_training(
          *configured, read.train,
          {own, written_train(section, entry), entry.key_location, data.empty() ? nullptr : &data},
          errors_);
    }
    read.inputs = inputs_.read(*configured, inputs_of(*configured, entry.value, trains),
                               entry.key_location, {.whole_sets = infers}, path + ".inputs");
    if (infers) read.splits = references_.components().whole_splits(entry.key);
    check_whole_sets(read, entry, path);
    if (component->capabilities == std::vector<std::string>{"sentence_embedder"} && read.is_model) {
      errors_.add(key.value.location(),
                  "the model '" + key.value.text() + "' can only encode sentences",
                  "use it as an input of a metric, such as the `encoder` of frechet");
    }
    return errors_.count() == before ? std::optional(std::move(read)) : std::nullopt;
  }

  /// Checks the training of a model, whose inputs are trained models of the recipe.
  void check_fields_of(const CheckedEntry& read) {
    if (!read.is_trained() || read.imported) return;
    std::map<std::string, GivenModel> given;
    for (const CheckedInput& input : read.inputs) {
      const auto* named = input.fillings.size() == 1
                              ? std::get_if<KnownReference>(&input.fillings.front())
                              : nullptr;
      for (const auto& other : result_.entries) {
        const bool is_filled = named && named->of == KnownReference::Of::kEntry &&
                               other->id == named->id && other->is_trained() &&
                               other->component.inputs.empty();
        if (is_filled) given[input.decl.name] = {other->component, training_records(*other)};
      }
    }
    const Node::Entry& entry =
        *written_entry(context_.recipe, {read.is_model ? "models" : "artifacts"}, read.id);
    check_fields(read.component, read.train, training_records(read), entry.key_location, errors_,
                 given);
  }

  /// `{import: NAME, weights: FILE, data: {tokenizer: ...}}` or `{run: RUN}`.
  std::optional<CheckedEntry> read_imported(const Node::Entry& entry, CheckedEntry read) {
    const InputDecl any{.name = entry.key, .type = ArtifactType::kModel};
    auto model =
        read_inline_model(any, entry.value.without("label"), train_.options, entry.key_location,
                          context_.registries, errors_, "artifacts." + entry.key);
    if (!model) return std::nullopt;
    read.component = model->model;
    read.imported = std::move(*model);
    return read;
  }

  /// Reports defaults that no model has.
  void check_model_defaults() {
    for (const Node::Entry& entry : context_.recipe.options.model_defaults.entries()) {
      if (used_defaults_.contains(entry.key) || result_.entries.empty()) continue;
      errors_.add(entry.key_location,
                  "model_defaults: no model of this recipe has the option " + shown(entry.key));
    }
  }

  /// The training options of an entry: for models, its own merged into the recipe's; for artifacts,
  /// its own merged into the authors' defaults.
  Node written_train(const std::string& section, const Node::Entry& entry) const {
    const Node* own = entry.value.find("train");
    if (section == "models") {
      const Node& common = context_.recipe.options.train;
      return (own ? merge(common, *own) : common).without("seeds");
    }
    const Component* component = references_.components().find(entry.key);
    const Node usual = component ? component->training : Node::mapping({});
    return own ? merge(usual, *own) : usual;
  }

  /// Reads the training options of an entry; false if there are errors. Errors in the recipe's
  /// `train` are reported there, not for every entry.
  bool read_entry_train(const Node::Entry& entry, const std::string& path, CheckedEntry& read) {
    const Node* own = entry.value.find("train");
    read.has_own_seed = own && own->find("seed");
    const size_t before = errors_.count();
    if (read.is_model && !own) {
      read.train = train_.options;
    } else if (read.is_model && !train_.is_valid) {
      parse_options<TrainOptions>(own->without("seeds"), errors_, {}, path + ".train");
    } else {
      const Node whole = written_train(read.is_model ? "models" : "artifacts", entry);
      read.train = parse_train_options(whole, errors_, path + ".train");
      if (errors_.count() == before) {
        check_stop(read.train, whole, entry.key_location, path + ".train", errors_);
      }
      if (!read.is_model) {
        const TrainOptions& recipe = train_.options;
        if (!read.has_own_seed) read.train.seed = recipe.seed;
        if (!own || !own->find("device")) read.train.device = recipe.device;
        if (!own || !own->find("deterministic")) read.train.deterministic = recipe.deterministic;
      }
    }
    return train_.is_valid && errors_.count() == before;
  }

  /// Reads the training and validation data of an entry. Returns the references to its training
  /// data as written.
  StreamReferences read_streams(const Node::Entry& entry, const std::string& path,
                                CheckedEntry& read) {
    StreamReferences data;
    for (const auto& [key, streams] :
         {std::pair{"data", &read.data}, {"validate_on", &read.validate_on}}) {
      const Node* written = entry.value.find(key);
      if (!written) continue;
      const auto references = read_stream_references(*written, errors_, path + "." + key);
      const bool is_data = streams == &read.data;
      *streams = resolved(references, is_data ? "train" : "valid", path + "." + key, read);
      if (is_data) data = references;
    }
    if (read.data.empty() && !data_.find("data") && data_.all().size() != 1) {
      errors_.add(entry.key_location, path + ".data is missing: the training data",
                  data_.ambiguity());
    } else if (read.data.empty()) {
      check_has_split(*main_data(), "train", entry.key_location, path + ".data");
    }
    return data;
  }

  /// Reads the initial weights of an entry.
  void read_init(const Node::Entry& entry, const std::string& path, CheckedEntry& read) {
    const Node* init = entry.value.find("init");
    if (!init) return;
    read.init = parse_options<InitOptions>(*init, errors_, {}, path + ".init");
    const Node* from = init->is_mapping() ? init->find("from") : nullptr;
    if (!from) return;
    read.initial = need_one(references_.find(*from, from->location(),
                                             {.type = ArtifactType::kModel}, path + ".init.from"),
                            *from, path + ".init.from", read);
  }

  /// The records of the training data by stream; streams whose records are not known before they
  /// are read have no sides.
  std::map<std::string, StreamRecords> training_records(const CheckedEntry& read) const {
    if (read.data.empty()) {
      const CheckedData& data = *main_data();
      const Records* records = data_.packed(data.id);
      if (!records) return {{"train", {}}};
      return {{"train", {data_.name(data), {{*records}}}}};
    }
    std::map<std::string, StreamRecords> streams;
    for (const auto& [stream, sides] : read.data) streams[stream] = records_of(sides);
    return streams;
  }

  StreamRecords records_of(const std::vector<std::vector<KnownReference>>& sides) const {
    StreamRecords stream{.source = "its data", .sides = {}};
    for (const auto& side : sides) {
      auto& parts = stream.sides.emplace_back();
      for (const KnownReference& part : side) {
        const bool is_data = part.of == KnownReference::Of::kData;
        const CheckedData* data = is_data ? data_.find(part.id) : nullptr;
        const Records* records = data ? data_.packed(data->id) : nullptr;
        const FieldTypes inferred = is_data ? FieldTypes() : columns_of(part.id);
        if (!records && inferred.empty()) return {};
        parts.push_back(records ? *records : Records{.types = inferred});
        for (const auto& [field, type] : inferred) parts.back().fields.push_back(field);
        if (data && sides.size() == 1 && side.size() == 1) stream.source = data_.name(*data);
      }
    }
    return stream;
  }

  /// The columns of an entry of inference, if they are known before it is computed.
  FieldTypes columns_of(const std::string& id) const {
    const CheckedEntry* entry = find_entry(result_.entries, id);
    return entry ? known_columns(entry->component) : FieldTypes();
  }

  /// The value of a reference that must have a single one. A removed value is the reason why the
  /// entry is not computed.
  KnownReference need_one(const std::vector<KnownReference>& named, const Node& written,
                          const std::string& path, CheckedEntry& read) {
    if (named.size() > 1) {
      errors_.add(written.location(), path + " accepts one value, but " + shown(written.text()) +
                                          " names " + std::to_string(named.size()));
    }
    if (named.size() != 1) return {};
    if (!named[0].removed.empty()) read.reason = "not run: " + named[0].removed;
    check_whole(named[0], written.text(), written.location(), path, errors_);
    return named[0];
  }

  /// The data set of trainings that do not specify one.
  const CheckedData* main_data() const {
    const CheckedData* data = data_.find("data");
    return data ? data : &data_.all().front();
  }

  /// Checks that a data set named without a split has the one that is used.
  void check_has_split(const CheckedData& data, const std::string& split,
                       const SourceLocation& location, const std::string& path) {
    if (data.has_split(split)) return;
    errors_.add(location, path + ": " + data.id + " has no split " + split,
                "specify one of its splits: " + join(data.splits));
  }

  /// Resolves the references of all streams.
  CheckedStreams resolved(const StreamReferences& references, const std::string& split,
                          const std::string& path, CheckedEntry& read) {
    CheckedStreams streams;
    for (const auto& [stream, sides] : references) {
      for (const auto& side : sides) {
        auto& parts = streams[stream].emplace_back();
        for (const Node& part : side) parts.push_back(resolved(part, split, path, read));
      }
    }
    return streams;
  }

  /// A data set without a split is used for training and validation by its splits train and valid.
  KnownReference resolved(const Node& part, const std::string& split, const std::string& path,
                          CheckedEntry& read) {
    const auto reference = parse_reference(part.text());
    const CheckedData* data = reference ? data_.find(reference->entry()) : nullptr;
    if (data && reference->part.empty()) {
      check_has_split(*data, split, part.location(), path);
      return {KnownReference::Of::kData, data->id, "", ""};
    }
    const ReferenceScope scope{
        .type = references_.components().result_type(references_.first_id(reference)),
        .whole_sets = true};
    return need_one(references_.find(part, part.location(), scope, path), part, path, read);
  }

  /// Checks that all whole data sets that inference reads have the same splits.
  void check_whole_sets(const CheckedEntry& read, const Node::Entry& entry,
                        const std::string& path) {
    for (const CheckedInput& input : read.inputs) {
      for (const Filling& filling : input.fillings) {
        const auto* named = std::get_if<KnownReference>(&filling);
        if (!named || !named->removed.empty() || !named->part.empty()) continue;
        std::vector<std::string> splits;
        if (named->of == KnownReference::Of::kData) splits = data_.find(named->id)->splits;
        const bool is_inference = named->of == KnownReference::Of::kEntry &&
                                  references_.components().is_inference(named->id);
        if (is_inference) splits = references_.components().whole_splits(named->id);
        if (splits.empty() || splits == read.splits) continue;
        errors_.add(entry.key_location,
                    path + ": " + named->id + " has the splits " + join(splits) +
                        ", and its other inputs " + join(read.splits),
                    "specify one split of each");
      }
    }
  }

  CheckContext context_;
  Errors& errors_;
  const DataSets& data_;
  References& references_;
  InputParser& inputs_;
  const CheckedTrain& train_;
  CheckedEntries result_;
  std::set<std::string> used_defaults_;  // keys of `model_defaults` that a model has
};

}  // namespace

const std::vector<EnumName<InitRows>>& enum_names(InitRows) {
  static const std::vector<EnumName<InitRows>> names = {
      {"equal", InitRows::kEqual, "refused"},
      {"extend", InitRows::kExtend,
       "the first rows are initialized from that row, the others at random"}};
  return names;
}

Node with_model_defaults(const RecipeOptions& recipe, const Node& own, const Schema& schema) {
  std::vector<Node::Entry> defaults;
  for (const Node::Entry& entry : recipe.model_defaults.entries()) {
    for (const FieldSchema& field : schema.fields) {
      if (field.key == entry.key) defaults.push_back(entry);
    }
  }
  return defaults.empty() ? own : merge(Node::mapping(std::move(defaults), own.location()), own);
}

CheckedTrain read_train(const CheckContext& context) {
  const Node& written = context.recipe.options.train;
  const size_t before = context.errors.count();
  CheckedTrain train{parse_train_options(written.without("seeds"), context.errors, "train")};
  train.is_valid = context.errors.count() == before;
  if (train.is_valid) {
    check_stop(train.options, written, written.location(), "train", context.errors);
  }
  return train;
}

std::string label_of(const Node::Entry& entry) {
  const Node* label = entry.value.find("label");
  return label ? label->text() : entry.key;
}

CheckedEntries read_entries(const CheckContext& context, const DataSets& data,
                            References& references, InputParser& inputs,
                            const CheckedTrain& train) {
  return EntryReader(context, data, references, inputs, train).read();
}

}  // namespace lvtext
