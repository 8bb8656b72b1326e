// Figure kind `image_grid`: images of data sets and of rows, side by side.
#include "framework/pipeline/report/image_grid.h"

#include <algorithm>
#include <utility>

#include "framework/core/base/strings.h"
#include "framework/core/model/registration.h"
#include "framework/core/options/options.h"
#include "framework/pipeline/figures/figure_data.h"

namespace lvtext {
namespace {

struct ImageGridOptions {
  Node columns, captions;
  int64_t items = 8;
  int64_t scale = 1;

  template <class V>
  void visit(V& v) {
    v.field("columns", columns,
            "sources of images: splits of data sets (cxr.valid), and names of a row's inputs or "
            "inference (images); a list, or a mapping from labels to sources",
            required());
    v.field("captions", captions,
            "texts below the images, such as cxr.valid.captions; of several texts of an image, the "
            "first");
    v.field("items", items, "number of images per source, from its start", in_range(1, 100));
    v.field("scale", scale, "height of the shown images, whatever their own", in_range(1, 8),
            unit("64 pixels"));
    v.check(columns.is_scalar() || (columns.is_mapping() && !columns.entries().empty()) ||
                (columns.is_sequence() && !columns.items().empty()),
            "columns must be a reference, a list of references or a mapping from labels to "
            "references");
  }
};

constexpr const char* kCaptions = "captions";

class ImageGridKind : public FigureKind {
 public:
  static constexpr int kRevision = 1;
  explicit ImageGridKind(const ImageGridOptions& options) : options_(options) {
    if (!options.columns.is_mapping()) {
      for (const Node& column : listed(options.columns))
        columns_.push_back({column.text(), column});
      return;
    }
    for (const Node::Entry& column : options.columns.entries()) {
      columns_.push_back({column.key, column.value});
    }
  }

  std::vector<InputDecl> inputs() const override {
    std::vector<InputDecl> inputs;
    for (size_t i = 0; i < columns_.size(); ++i) {
      inputs.push_back({.name = input_name(i),
                        .help = "images of a column",
                        .type = ArtifactType::kDataset,
                        .by_default = row_reference(columns_[i].second),
                        .rows = options_.items});
    }
    if (!options_.captions.is_null()) {
      inputs.push_back({.name = kCaptions,
                        .help = "texts below the images",
                        .by_default = row_reference(options_.captions)});
    }
    return inputs;
  }

  FigureNeeds needs() const override {
    FigureNeeds needs;
    for (size_t i = 0; i < columns_.size(); ++i) needs.pictures.push_back(input_name(i));
    return needs;
  }

  Figure draw(const FigureData& data) const override {
    std::vector<ImageLine> lines;
    std::vector<std::string> labels;
    std::vector<MissingPart> missing;
    for (const FigureRow* row : data.rows()) {
      labels.push_back(row->label);
      for (size_t i = 0; i < columns_.size(); ++i) {
        ImageLine line{row->label, columns_[i].first, {}, row->reason};
        const auto pictures = row->pictures.find(input_name(i));
        if (pictures != row->pictures.end()) line.pictures = pictures->second;
        if (!line.reason.empty()) missing.push_back({row->label + ", " + line.column, line.reason});
        if (i + 1 == columns_.size()) line.captions = captions_of(row->inputs);
        lines.push_back(std::move(line));
      }
    }
    const std::string description = "Images of " + join(labels) + ": the first " +
                                    std::to_string(options_.items) + " of each, not selected";
    const SvgPart part =
        image_grid_part(data.title, description, lines, static_cast<double>(options_.scale));
    return {.title = data.title,
            .note = "The first images of each, not selected.",
            .file = data.file,
            .svg = svg_file(data.title, description, {part}, 1),
            .csv = image_grid_csv(lines),
            .html = svg_in_page(part),
            .missing = std::move(missing)};
  }

 private:
  /// The first text of each image; empty without captions.
  std::vector<std::string> captions_of(const Inputs& inputs) const {
    std::vector<std::string> captions;
    if (!inputs.has(kCaptions)) return captions;
    const auto lines = inputs.text(kCaptions).lines();
    const std::vector<int64_t>& rows = inputs.rows(kCaptions);
    const int64_t count = rows.empty() ? std::ssize(lines) : std::ssize(rows) - 1;
    for (int64_t row = 0; row < std::min(count, options_.items); ++row) {
      const int64_t first = rows.empty() ? row : rows[row];
      const bool has_any = rows.empty() || rows[row + 1] > first;
      captions.push_back(has_any ? lines[first] : "");
    }
    return captions;
  }
  static std::string input_name(size_t column) { return "column_" + std::to_string(column + 1); }

  ImageGridOptions options_;
  std::vector<std::pair<std::string, Node>> columns_;  ///< label, reference
};

}  // namespace

void register_image_grid(Registries& registries) {
  add_figure<ImageGridKind, ImageGridOptions>(registries, "image_grid",
                                              "Images of data sets and of rows, side by side", {});
}

}  // namespace lvtext
