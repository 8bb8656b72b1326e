#include "framework/pipeline/store/model_weights.h"

#include "framework/core/base/error.h"
#include "framework/core/base/log.h"
#include "framework/core/base/strings.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "framework/core/checkpoint/finished_run.h"
#include "framework/core/model/capabilities.h"
#include "framework/core/model/published.h"
#include "framework/core/tensor/torch.h"
#include "framework/pipeline/store/kept_weights.h"
#include "framework/pipeline/store/loaded_inputs.h"
#include "trainers/weights.h"

namespace lvtext {
namespace {

/// Whether `given` is a shorter table of the same kind as `own`.
bool is_shorter(const at::Tensor& given, const at::Tensor& own) {
  return given.dim() > 0 && given.dim() == own.dim() && given.size(0) < own.size(0) &&
         given.sizes().slice(1) == own.sizes().slice(1) && given.scalar_type() == own.scalar_type();
}

/// Extends `given`, a tensor of the initial weights, by the rows that `own` has in addition, and
/// logs which ones these are. A tensor that is not a shorter table is left as it is; so is one
/// without a row for each token, if the model states its vocabulary, because its new rows would not
/// be new tokens.
void extend(at::Tensor& given, const at::Tensor& own, const std::string& name,
            const Trainable& model) {
  const auto* decoder = dynamic_cast<const NextTokenModel*>(&model);
  if (!is_shorter(given, own)) return;
  if (decoder != nullptr && own.size(0) != decoder->vocabulary().size) return;
  log_info("init: rows " + std::to_string(given.size(0)) + " to " +
           std::to_string(own.size(0) - 1) + " of " + name + " are initialized at random");
  given = at::cat({given, own.detach().slice(0, given.size(0))});
}

std::string shape_of(const at::Tensor& tensor) {
  std::vector<std::string> sizes;
  for (const int64_t size : tensor.sizes()) sizes.push_back(std::to_string(size));
  return dtype_name(tensor.scalar_type()) + " [" + join(sizes) + "]";
}

}  // namespace

std::vector<std::string> load_initial(Trainable& model, const std::filesystem::path& folder,
                                      const InitialMapping& mapping, std::optional<int64_t> step) {
  const FinishedRun run(folder);
  if (!step && !run.lists(kInitialFile)) step = run.metadata().at("selected_step").get<int64_t>();
  TensorMap given =
      step ? read_weights(run, *step) : read_safetensors(run.file(kInitialFile)).tensors;
  // Extract all tensors before inserting any, because `rename` may swap names.
  TensorMap renamed;
  for (const auto& [theirs, ours] : mapping.rename) {
    auto tensor = given.extract(theirs);
    if (tensor.empty()) {
      throw DataError("init.rename: '" + folder.string() + "' has no tensor '" + theirs + "'");
    }
    tensor.key() = ours;
    if (!renamed.insert(std::move(tensor)).inserted) {
      throw DataError("init.rename: two tensors are renamed to '" + ours + "'");
    }
  }
  for (auto& [name, tensor] : renamed) given.insert_or_assign(name, tensor);
  TensorMap replaced;
  std::vector<std::string> names;
  for (const auto& [name, tensor] : model_tensors(model)) {
    const auto found = given.find(name);
    if (found == given.end()) continue;
    if (mapping.extend_rows) extend(found->second, tensor, name, model);
    replaced[name] = tensor;
    names.push_back(name);
  }
  if (names.empty()) {
    throw DataError("init: none of the tensors of '" + folder.string() +
                    "' has the name of a parameter of this model; rename them with `init.rename`");
  }
  load_into(replaced, given, folder.string());
  return names;
}

void load_published(Trainable& model, const std::filesystem::path& file,
                    const std::vector<std::string>& given) {
  TensorMap requested = model_tensors(model);
  for (const std::string& name : given) requested.erase(name);
  TensorMap source = read_safetensors(file).tensors;
  if (const auto* published = dynamic_cast<const Published*>(&model)) {
    source = from_published(*published, requested, std::move(source), file);
  }
  load_into(requested, source, file.string());
}

TensorMap from_published(const Published& model, const TensorMap& requested, TensorMap source,
                         const std::filesystem::path& file) {
  const std::string prefix = model.published_prefix();
  const auto find = [&](const std::string& name) {
    const auto found = source.find(name);
    return found == source.end() && !prefix.empty() ? source.find(prefix + name) : found;
  };
  TensorMap result;
  std::string problems;
  for (const auto& [name, tensor] : requested) {
    const PublishedTensor form = model.published(name);
    const auto count = static_cast<int64_t>(form.names.size());
    const at::Tensor own = tensor.detach().narrow(0, 0, tensor.size(0) / count);
    const at::Tensor stored = form.transposed ? own.t() : own;
    std::vector<at::Tensor> parts;
    for (const std::string& theirs : form.names) {
      const auto found = find(theirs);
      if (found == source.end()) {
        problems += "\n  missing: " + theirs + " " + shape_of(stored);
      } else if (found->second.sizes() != stored.sizes() ||
                 found->second.scalar_type() != own.scalar_type()) {
        problems += "\n  does not fit: " + theirs + " is " + shape_of(found->second) +
                    " in the file and " + shape_of(stored) + " in the model (" + name + ")";
      } else {
        parts.push_back(form.transposed ? found->second.t() : found->second);
      }
    }
    if (parts.size() == form.names.size()) result[name] = at::cat(parts).contiguous();
  }
  for (const auto& [copy, original] : model.published_ties()) {
    const auto first = find(copy), second = find(original);
    if (first == source.end() || second == source.end()) continue;
    if (at::equal(first->second, second->second)) continue;
    problems += "\n  " + copy + " differs from " + original + ", but the model has one tensor";
  }
  if (problems.empty()) return result;
  throw DataError("'" + file.string() + "' does not fit the model:" + problems +
                  "\nuse the options and the tokenizer of the published model, and its complete "
                  "file");
}

TensorMap to_published(const Published& model, const TensorMap& tensors) {
  TensorMap result;
  for (const auto& [name, tensor] : tensors) {
    const PublishedTensor form = model.published(name);
    const std::vector<at::Tensor> parts = tensor.chunk(static_cast<int64_t>(form.names.size()));
    for (size_t i = 0; i < form.names.size(); ++i) {
      result[form.names[i]] = (form.transposed ? parts[i].t() : parts[i]).contiguous();
    }
  }
  return result;
}

void save_weights(NodeRun& run, TensorMap weights) {
  CheckpointContents contents;
  contents.model = std::move(weights);
  save_checkpoint(run.folder.snapshots(), 0, contents);
  for (const auto& file : weight_files(0)) run.outputs.push_back(file);
  run.metadata["selected_step"] = 0;
}

}  // namespace lvtext
